"""Writes cronsim's answers, with which test/shared/core/checks/cron.test.ts compares cron.ts.

    pip install cronsim==2.7 tzdata==2026.6
    python cronsim-answers.py > cronsim-answers.txt

The lines, with tabs between the fields:
    made   version of cronsim   version of the tz database   E
    zone   name   offsets, each TIME:OFFSET in minutes   starts in seconds
    none   an expression that the service refuses
    runs   a valid expression   F   the next runs after the starts F, F + E, F + 2 E and so on, counted
           through all zones: minutes since the start's own full minute, or ! for none
Times and runs are in base 36, times since 1970.

For more answers: `python cronsim-answers.py EXPRESSIONS STARTS E SEED [ZONES] > FILE`, where ZONES is a
file of names, then `CRONSIM_ANSWERS=FILE npm run unit -- --project core cron.test.ts`.
"""

import random
import signal
import sys
import zoneinfo
from datetime import datetime, timezone
from importlib.metadata import version

from cronsim import CronSim, CronSimError

ZONES = """Africa/Cairo Africa/Casablanca America/Los_Angeles America/New_York America/Nuuk
America/Santiago America/Sao_Paulo America/St_Johns Antarctica/Troll Asia/Beirut Asia/Gaza
Asia/Jerusalem Asia/Kolkata Asia/Tokyo Atlantic/Azores Australia/Adelaide Australia/Lord_Howe
Australia/Sydney Europe/Berlin Europe/Dublin Europe/London Pacific/Auckland Pacific/Chatham
Pacific/Easter Pacific/Norfolk UTC""".split()
FIRST, LAST = (int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()) for year in (2024, 2034))
DAY = 86400
MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
WEEKDAYS = "SUN MON TUE WED THU FRI SAT".split()
# Expressions on which servers and the preview once disagreed, and all special syntax.
KNOWN = """0 1,2,3 * * *;23 0-20/2 * * *;30-45 2 * * *;0 9 * * sat-sun;0 9 15W * *;0 9 ? * *;0 9 * * FRIL
0 0 30 2 1;5/10 * * * *;0 0/1 * * *;0 9 * * MON/2;0 9 */1 * 1;0 9 29 * 1;0 9 30 2 *;0 0 29 2 *
0 0 29 2 MON;0 0 L * *;0 0 LW * *;0 0 L/2 * *;0 0 L,15 * *;0 0 1-L * *;0 0 * * 5L;0 0 * * 7L;0 0 * * 0#1
0 0 * * 7#5;0 0 * * MON#2;0 0 * * MON#6;0 0 * * 1-5#2;0 0 */40 * MON#2;0 0 * 2 MON#5;0 0 31 2,4 *
0 0 31 2,4 1;*/5 2 * * *;0 */2 * * *;*/90 * * * *;0 0 * * 5-7;0 0 * * 6-0;0 0 * * */7;0 0 * JAN/3 *
60 * * * *;0 24 * * *;0 0 0 * *;0 0 32 * *;0 0 * 0 *;0 0 * 13 *;0 0 * * 8;*/0 * * * *;1- * * * *
-1 * * * *;1,,2 * * * *;1--2 * * * *;1/2/3 * * * *;+1 * * * *;1.5 * * * *;00 09 * * *;0 0 * * sun,Mon
@daily;* * * *;* * * * * *;H * * * *;*-5 * * * *;* 5-* * * *;*,5 2 * * *;5,* 2 * * *""".replace("\n", ";").split(";")


def value(r, low, high, names):
    number = r.randint(low, high)
    if names and r.random() < 0.3:
        return names[(number - low) % len(names)]
    return f"{number:02d}" if r.random() < 0.05 else str(number)


def term(r, low, high, names, near):
    kind = r.random()
    if near is not None and r.random() < 0.6:
        low, high = near
    if kind < 0.45:
        text = value(r, low, high, names)
    elif kind < 0.75:
        ends = sorted(r.randint(low, high) for _ in range(2))
        text = f"{ends[0]}-{ends[1]}"
    else:
        text = "*"
    if r.random() < 0.25:
        text += f"/{r.choice([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45])}"
    return text


def field(r, star, *of):
    if r.random() < star:
        return "*"
    return ",".join(term(r, *of) for _ in range(r.choice([1, 1, 1, 2, 3])))


def expression(r):
    days = field(r, 0.75, 1, 31, [], None)
    weekdays = field(r, 0.75, 0, 7, WEEKDAYS, None)
    if r.random() < 0.06:
        days = r.choice(["L", "LW", "L,10", "LW,1", "1-5,L", "L/3"])
    if r.random() < 0.08:
        one = r.randint(0, 7)
        weekdays = r.choice([f"{one}L", f"{one}#{r.randint(1, 5)}", f"{one}L,{WEEKDAYS[one % 7]}#1"])
    minutes = field(r, 0.15, 0, 59, [], None)
    hours = field(r, 0.2, 0, 23, [], (0, 4))
    return f"{minutes} {hours} {days} {field(r, 0.85, 1, 12, MONTHS, None)} {weekdays}"


def broken(r):
    """An expression with one typing error."""
    text = expression(r)
    at = r.randrange(len(text))
    return text[:at] + r.choice("0123456789*,-/#LW?~ABCSUNMO ") + text[at + r.randint(0, 1) :]


def is_taken(text):
    """Applies the service's own checks."""
    if len(text.split()) != 5:
        return False
    try:
        next(CronSim(text, datetime(2000, 1, 1)))
        return True
    except (CronSimError, StopIteration):
        return False


def offset(zone, at):
    return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds()) // 60


def changes(zone):
    found = []
    for day in range(FIRST, LAST, DAY):
        before, at, end = offset(zone, day), day, day + DAY
        if before == offset(zone, end):
            continue
        while end - at > 1:
            middle = (at + end) // 2
            at, end = (middle, end) if offset(zone, middle) == before else (at, middle)
        found.append(end)
    return found


def start(r, zones):
    name = r.choice(list(zones))
    if zones[name] and r.random() < 0.85:
        near = r.choice([-1, 0, 1, 600, 1800, 3600, 5400, -1800, -3600, r.randint(-7200, 7200)])
        return name, r.choice(zones[name]) + near - r.choice([0, 0, 0, r.randint(0, 2 * DAY)])
    return name, r.randint(FIRST, LAST)


def base36(number):
    if number < 0:
        return "-" + base36(-number)
    digit = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]
    return digit if number < 36 else base36(number // 36) + digit


def stop(*_):
    raise TimeoutError


def answer(text, zone, at):
    """Answers ! for no run, also if cronsim's search never ends."""
    signal.alarm(10)
    try:
        run = next(CronSim(text, datetime.fromtimestamp(at, zone)))
    except (StopIteration, TimeoutError):
        return "!"
    finally:
        signal.alarm(0)
    return base36((int(run.timestamp()) - at // 60 * 60) // 60)


def main():
    signal.signal(signal.SIGALRM, stop)
    zoneinfo.reset_tzpath(())  # Use only the tz database of PyPI's tzdata.
    size, nights, every, seed = (int(arg) for arg in (sys.argv[1:5] or ["800", "800", "11", "1"]))
    names = open(sys.argv[5]).read().split() if len(sys.argv) > 5 else ZONES
    r = random.Random(seed)
    zones = {name: changes(zoneinfo.ZoneInfo(name)) for name in sorted(names)}
    starts = sorted(start(r, zones) for _ in range(nights))
    texts = KNOWN + [expression(r) for _ in range(size)] + [broken(r) for _ in range(size // 2)]
    print(f"made\tcronsim {version('cronsim')}\ttzdata {version('tzdata')}\t{every}")
    for name, moments in zones.items():
        zone = zoneinfo.ZoneInfo(name)
        told = [f"{base36(at // 60)}:{offset(zone, at)}" for at in [FIRST, *moments]]
        own = [base36(at) for one, at in starts if one == name]
        print(f"zone\t{name}\t{' '.join(told)}\t{' '.join(own)}")
    for row, text in enumerate(dict.fromkeys(texts)):
        if not is_taken(text):
            print(f"none\t{text}")
            continue
        asked = [starts[i] for i in range(row % every, len(starts), every)]
        runs = [answer(text, zoneinfo.ZoneInfo(name), at) for name, at in asked]
        print(f"runs\t{text}\t{row % every}\t{' '.join(runs)}")


main()
