"""Points of the application's own statements, where crash tests may kill."""


def app_point(statement: str) -> str:
    """What a point of the application's own is called: savepoints' names differ in each process."""
    words = statement.split()
    return f"app:{' '.join(words[:3] if words[0] in {'SELECT', 'INSERT', 'UPDATE'} else words[:1])}"
