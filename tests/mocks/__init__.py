"""What the fault scenarios of llmock and aimock come to: every format that they speak, in all the ways of asking.

Both are servers that others wrote, each in an environment of its own; see `tests.live.mocks`.
"""
