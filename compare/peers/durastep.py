"""durastep: a ``@step`` inside ``run(order)``, on its SQLite store."""

from durastep import SQLiteStore, run, step

from compare.caller import Call, Setting, serve


def prepare(setting: Setting) -> Call:
    """The tool, as a step."""
    store = SQLiteStore(str(setting.path("steps.db")))

    @step(name="send")
    def send(order: str) -> str:
        del order
        return setting.effect()

    def call() -> str:
        with run(setting.order, store=store):
            return send(setting.order)

    return call


if __name__ == "__main__":
    serve(prepare)
