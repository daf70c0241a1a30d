"""What a design costs: sizes, capacity units, money; and what each access pattern comes to.

Everything here reads the design and sends nothing, but for ``measuring``, which is asked to.
"""
