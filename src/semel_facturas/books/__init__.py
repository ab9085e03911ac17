"""The books: domain functions over a transaction, without a clock and without randomness.

Two transactions may be at work at once, each seeing what was committed before its statement began.
What one of them reads in order to decide is therefore held: a ``hold`` statement locks the row,
and only a later statement reads it, what points at it, or what is added up over it. What is merely
changed needs no more than its version in the WHERE clause, and numbers come from a counter that the
UPDATE itself locks.

Rows are taken in one order, so that two transactions do not wait for each other: the engine's own
first (the plan), then the organization, contacts, invoices, their lines, payments or expenses, and
the counter of a series last. Several rows of one table are taken in the order of their ids. Steps
of one plan may still cross those of another; the database then ends one of the two, and the store
runs it again.

    what is decided                          held
    a contact is like another one            the organization
    nothing points at a contact; a draft     the contact
    is like another one; what is unpaid
    a draft gets a number                    its contact, whose data is frozen, and the draft
    how much of an invoice is outstanding    the invoice
    an undo: the record is as it was left    the record; of a payment, its invoice
"""
