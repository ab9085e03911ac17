"""The judge: another program, which looks at the world by itself, and prints what it checked.

It reads the books with its own SQL, the mail folder with its own eyes, the answers that were given,
and what ``semel show`` says; it imports nothing of semel. Of the environment it is given nothing
but where a server is, when the worlds are kept on one.
"""
