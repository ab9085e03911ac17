"""Whether a statement may leave something behind in its session, judged by its text.

Tidying a session costs a round trip, so it is done only after statements that may need it. What is
not known here counts as such: a function of the application's own may set, lock or listen.
"""

import re
from functools import lru_cache

VERB = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|VALUES)\b", re.IGNORECASE)
QUOTED = re.compile(r"'(?:[^']|'')*'")
TEMPORARY = re.compile(r"\bTEMP(ORARY)?\b", re.IGNORECASE)
# With one of these, where a quoted text ends is not for a pattern to say.
UNSURE = re.compile(r"""\\|/\*|--|\$\w*\$|"[^"]*'|\bU&'""")
# A table or a common table expression is named before a bracket as a function is.
COLUMNS = re.compile(
    r"\b(INTO|WITH|RECURSIVE)\s+[\w.]+\s*\(|,\s*\w+\s*\([\w\s,]*\)\s+AS\s*\(", re.IGNORECASE
)
CALLED = re.compile(r"([\w.\"]+)\s*\(")

# Words that stand before a bracket, types that take one, functions that only compute, and locks
# that end with their transaction.
HARMLESS = frozenset(
    """
    all and any array as between bit by case cast char character conflict cube decimal distinct else
    end every except exists filter from grouping having ilike in intersect interval into is join key
    lateral like limit materialized not null numeric of offset on or order over overlaps partition
    returning rollup row select set sets some then time timestamp timestamptz union unique update
    using values varchar when where window within

    abs age array_agg array_length avg bool_and bool_or cardinality ceil ceiling char_length chr
    clock_timestamp coalesce concat concat_ws corr count cume_dist current_setting currval date_part
    date_trunc decode dense_rank digest encode exp extract first_value floor format gen_random_uuid
    generate_series greatest hashtext hashtextextended initcap json_agg json_build_array
    json_build_object json_object_agg jsonb_agg jsonb_build_array jsonb_build_object
    jsonb_object_agg jsonb_set lag last_value lead least left length ln lower lpad ltrim make_date
    make_interval max md5 min mod nextval now nth_value ntile nullif percent_rank percentile_cont
    percentile_disc position power rank regexp_match regexp_replace repeat replace reverse right
    round row_number row_to_json rpad rtrim sha256 sign split_part sqrt statement_timestamp stddev
    string_agg string_to_array strpos substr substring sum to_char to_date to_json to_jsonb
    to_number to_timestamp transaction_timestamp translate trim trunc unnest upper variance

    pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_xact_lock
    """.split()  # noqa: SIM905 - words are read better than a list of them
)
"""What may stand before a bracket without a trace being left."""


@lru_cache(1000)
def leaves_traces(sql: str) -> bool:
    """Whether a session has to be tidied after this statement."""
    bare = QUOTED.sub("''", sql)
    if not VERB.match(bare) or TEMPORARY.search(bare) or UNSURE.search(sql):
        return True
    called = CALLED.findall(COLUMNS.sub("- (", bare))
    return any(name.lower().removeprefix("pg_catalog.") not in HARMLESS for name in called)
