# SPDX-License-Identifier: Apache-2.0
"""Prints, as holidays_test.cc has it, what the package holidays knows of 2000 to 2040: how many days, and their
sum since 1970, of each country.

    pip install holidays==0.109 && python3 src/learning/stages/holidays_reference.py
"""

import datetime

import holidays

_FIRST = datetime.date(1970, 1, 1)
_COUNTRIES = "AT BE BR CZ DE DK FR GB IT NL NO PL PT US".split()


def days(country):
    own = holidays.country_holidays(country, years=range(2000, 2041), subdiv="ENG" if country == "GB" else None)
    # It counts Good Friday, which is no day off in the Netherlands.
    return {day for day, name in own.items() if 2000 <= day.year <= 2040 and (country, name) != ("NL", "Good Friday")}


for each in _COUNTRIES:
    found = days(each)
    print(f'{{"{each}", {len(found)}, {sum((day - _FIRST).days for day in found)}}},')
