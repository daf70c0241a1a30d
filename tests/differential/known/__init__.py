"""Where DynamoDB Local is known to answer otherwise than the service, and why.

The engine follows the service. What is let pass for that stands here and nowhere else, each entry
with its reason and as narrow as it can be; whatever an entry does not take away is still compared.
``refusals`` is about errors, ``answers`` about what is in answers, ``forms`` about how Local writes
values down.
"""
