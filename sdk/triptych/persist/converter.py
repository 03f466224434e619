"""The one cattrs converter of the JSON form of items."""

from __future__ import annotations

import cattrs

converter = cattrs.Converter(omit_if_default=True, detailed_validation=True)
