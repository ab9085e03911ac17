"""aws-lambda-powertools: ``@idempotent_function`` on Redis, with the lease left to its Lambda."""

import os

os.environ["AWS_LAMBDA_FUNCTION_NAME"] = "send"

import redis
from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent_function
from aws_lambda_powertools.utilities.idempotency.persistence.cache import CachePersistenceLayer

from compare.caller import Call, Setting, serve


class Context:
    """What a Lambda's context says of the time that is left."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        """The time after which the function is taken for dead."""
        return int(self.seconds * 1000)


def prepare(setting: Setting) -> Call:
    """The tool, idempotent."""
    config = IdempotencyConfig(event_key_jmespath="order")
    config.register_lambda_context(Context(setting.lease))
    client = redis.Redis.from_url(setting.url, decode_responses=True)

    @idempotent_function(
        data_keyword_argument="event",
        config=config,
        persistence_store=CachePersistenceLayer(client=client),
    )
    def send(*, event: dict[str, str]) -> str:
        del event
        return setting.effect()

    return lambda: send(event={"order": setting.order})


if __name__ == "__main__":
    serve(prepare)
