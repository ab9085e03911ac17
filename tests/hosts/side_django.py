"""The shop as a Django application: its own models, its own tables, one alias."""

from typing import Any

import django
import psycopg
from django.conf import settings

if not settings.configured:
    settings.configure(DATABASES={}, USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField")
    django.setup()

from django.db import connection, connections, models, transaction
from django.db.backends.signals import connection_created
from django.db.migrations.operations import RunSQL
from django.db.migrations.state import ProjectState
from django.dispatch import receiver
from host_points import app_point

import semel
from semel.runtime import points


class Articulo(models.Model):  # noqa: DJ008 - nobody prints it
    sku = models.CharField(primary_key=True, max_length=20)
    quedan = models.IntegerField()
    version = models.IntegerField(default=1)

    class Meta:
        app_label = "tienda"


class Pedido(models.Model):  # noqa: DJ008 - nobody prints it
    id = models.CharField(primary_key=True, max_length=40)
    org = models.CharField(max_length=40)
    articulo = models.ForeignKey(Articulo, models.PROTECT, db_column="sku")
    unidades = models.IntegerField()
    version = models.IntegerField(default=1)

    class Meta:
        app_label = "tienda"


def pointed(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    name = app_point(str(sql))
    points.reach(f"{name}:before")
    value = execute(sql, params, many, context)
    points.reach(f"{name}:after")
    return value


@receiver(connection_created)
def watch(connection: Any, **_: object) -> None:
    if pointed not in connection.execute_wrappers:
        connection.execute_wrappers.append(pointed)


CAREFUL = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"


class DjangoSide:
    """What the shop does through the ORM."""

    name = "django"

    def __init__(self, url: str, *, careful: str | None = CAREFUL, **more: Any) -> None:
        if url.startswith("sqlite:"):
            database: dict[str, Any] = {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": url.removeprefix("sqlite:///"),
                "OPTIONS": {"init_command": careful} if careful else {},
            }
        else:
            parts = psycopg.conninfo.conninfo_to_dict(url)
            database = {
                "ENGINE": "django.db.backends.postgresql",
                "NAME": parts.pop("dbname"),
                "USER": parts.pop("user", ""),
                "PASSWORD": parts.pop("password", ""),
                "HOST": parts.pop("host", ""),
                "PORT": parts.pop("port", ""),
                "OPTIONS": parts,
            }
        for name in list(connections.settings):
            if hasattr(connections._connections, name):
                connections[name].close()
                del connections[name]
        connections.settings = connections.configure_settings({"default": {**database, **more}})

    def lender(self) -> Any:
        return semel.django("default")

    def tables(self) -> None:
        there = connection.introspection.table_names()
        for model in (Articulo, Pedido):
            if model._meta.db_table not in there:
                with connection.schema_editor() as editor:
                    editor.create_model(model)
        connection.close()

    def run_sql(self, statements: list[str]) -> None:
        """As Django runs the operations of a migration."""
        operation = RunSQL(statements)
        with connection.schema_editor(atomic=True) as editor:
            operation.database_forwards("tienda", editor, ProjectState(), ProjectState())
        connection.close()

    def close(self) -> None:
        connection.close()

    # What actions do in their lent transaction.

    def stock(self, tx: Any, sku: str, quedan: int) -> None:
        Articulo.objects.create(sku=sku, quedan=quedan)

    def order(self, tx: Any, id: str, org: str, sku: str, unidades: int) -> Pedido:
        articulo = Articulo.objects.get(sku=sku)
        articulo.quedan -= unidades
        articulo.save()
        return Pedido.objects.create(id=id, org=org, articulo=articulo, unidades=unidades)

    def orders(self, tx: Any) -> int:
        return Pedido.objects.count()

    def find(self, tx: Any, org: str, id: str) -> Pedido | None:
        return Pedido.objects.filter(org=org, id=id).first()

    def left(self, tx: Any, sku: str) -> int:
        return Articulo.objects.get(sku=sku).quedan

    def cancel(self, tx: Any, pedido: Pedido) -> None:
        Articulo.objects.filter(sku=pedido.articulo_id).update(
            quedan=models.F("quedan") + pedido.unidades
        )
        pedido.unidades = 0
        pedido.version += 1
        pedido.save()

    def part(self, tx: Any) -> Any:
        return transaction.atomic()

    def raw(self, tx: Any, sql: str) -> None:
        with tx.cursor() as cursor:
            cursor.execute(sql)

    ways_out = {
        "commit": lambda tx: transaction.commit(),
        "rollback": lambda tx: transaction.rollback(),
        "set_autocommit": lambda tx: transaction.set_autocommit(True),
        "its own commit": lambda tx: tx.commit(),
        "close": lambda tx: tx.close(),
        "durable": lambda tx: transaction.atomic(durable=True).__enter__(),
        "set_rollback": lambda tx: transaction.set_rollback(True),
        "COMMIT": lambda tx: tx.cursor().execute("/* so */ -- far\n COMMIT"),
        "ROLLBACK": lambda tx: tx.cursor().execute("rollback"),
        "the driver's commit": lambda tx: tx.connection.commit(),
    }
