/** A crontab of 50 jobs of all kinds, among other lines. The computer's zone is Europe/Berlin. */
export const fiftyLines = String.raw`# /etc/crontab: system-wide crontab
# Unlike any other crontab you don't have to run the crontab command.
SHELL=/bin/sh
PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin
MAILTO="ops@example.org"

# Example of job definition:
# .---------------- minute (0 - 59)
# |  .------------- hour (0 - 23)
# |  |  .---------- day of month (1 - 31)
# |  |  |  .------- month (1 - 12) OR jan,feb,mar,apr ...
# |  |  |  |  .---- day of week (0 - 6) (Sunday=0 or 7) OR sun,mon,tue,wed,thu,fri,sat
# |  |  |  |  |
# m h dom mon dow command
17 * * * * cd / && run-parts --report /etc/cron.hourly
25 6 * * * test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )
@reboot /opt/warm-cache.sh
@daily /usr/local/bin/rotate-logs
@midnight /opt/bin/purge-sessions.php
@hourly /opt/bin/sync
@weekly /opt/bin/reindex.py
@monthly /opt/bin/invoices.rb --all
@yearly /opt/bin/archive
@annually /opt/bin/archive
@every_minute /opt/bin/heartbeat

# Nightly backup of the database.
# Runs on the primary only.
0 3 * * * /opt/backup.sh --full >/dev/null 2>&1

# Reports
30 7 * * 1-5 /opt/report.py morning
30 17 * * mon-fri /opt/report.py evening

# 0 4 * * * /opt/old-job
#0 4 * * * /opt/older-job
5 4 * * sun /usr/bin/certbot renew --quiet
*/5 * * * * /usr/bin/php /var/www/artisan schedule:run >> /dev/null 2>&1
*/2 * * * * flock -n /tmp/queue.lock /opt/queue-worker
10 1 * * * sudo -u postgres nice -n 10 pg_dump shop > /backup/shop.sql
20 1 * * * timeout -k 5 10m python3 -m monitor --once
40 1 * * * FOO=bar BAZ="a b" /opt/with-environment
0 2 * * * env LANG=C bash -c 'cd /srv/app && ./manage.py clearsessions'
15 2 * * * echo "50\% done" | mail -s "Report for $(date +\%F)" ops@example.org
0 22 * * 1-5 mail -s "It's 10pm" joe%Joe,%%Where are your kids?%
0 5 1 * * [ -x /opt/monthly ] && /opt/monthly # Monthly close
0 5 * * 7 find /tmp -name '#*' -mtime +7 -delete
0 0 1,15 * * /opt/twice-a-month
0 9-17 * * 1-5 /opt/office-hours
0 9-17/2 * * * /opt/every-other-hour
0,30 8-18 * * mon,wed,fri /opt/half-hours
0 0 13 * 5 /opt/friday-or-13th
23 0-20/2 * * * /opt/odd-minute
0 12 L * * /opt/last-day
0 12 * * 5#1 /opt/first-friday
0 12 * * 5L /opt/last-friday
-*/15 * * * * /opt/unlogged
  59	23	31	12	*	/opt/tabs-and-spaces
0 6 * JAN-MAR * /opt/winter
0 3 * *
0 25 * * * /opt/no-such-hour
0 0 31 2 * /opt/no-such-day
0~30 4 * * * /opt/random-minute
@every_second /opt/too-often
0 0 3 * * * /opt/with-seconds
0 1 * * * # /opt/disabled

CRON_TZ=Asia/Tokyo
0 9 * * * /opt/tokyo-open
0 15 * * 1-5 /opt/tokyo-close
CRON_TZ = "America/New_York"
# New York opens
30 9 * * 1-5 /opt/market open
# New York closes
0 16 * * 1-5 /opt/market close
CRON_TZ=Mars/Base
0 1 * * * /opt/martian
CRON_TZ=
0 8 * * * /opt/home-again
CRON_TZ=Australia/Lord_Howe 0 2 * * * /opt/half-hour-zone
TZ=UTC @daily /opt/utc-midnight
0 10 * * * /opt/ünïcödé-🦊.sh
0 11 * * * /opt/ünïcödé-🦊.sh again
45 23 * * * curl -fsS https://hc.example.org/ping/0c8b1f2e-1111-4222-8333-444455556666
*/30 * * * * sh -c "/opt/a; /opt/b" &
50 4 * * * /opt/a; exit 0
0 4 * * 6 exec /opt/saturday
7 7 7 7 * /opt/lucky
`

/** Name, expression, zone, grace in minutes; written by hand, in the order of the lines. */
export const fiftyChecks: readonly (readonly [string, string, string, number])[] = [
  ['cron.hourly', '17 * * * *', 'Europe/Berlin', 30],
  ['cron.daily', '25 6 * * *', 'Europe/Berlin', 60],
  ['rotate-logs', '0 0 * * *', 'Europe/Berlin', 60],
  ['purge-sessions', '0 0 * * *', 'Europe/Berlin', 60],
  ['sync', '0 * * * *', 'Europe/Berlin', 30],
  ['reindex', '0 0 * * 0', 'Europe/Berlin', 60],
  ['invoices', '0 0 1 * *', 'Europe/Berlin', 60],
  ['archive', '0 0 1 1 *', 'Europe/Berlin', 60],
  ['archive 2', '0 0 1 1 *', 'Europe/Berlin', 60],
  ['heartbeat', '* * * * *', 'Europe/Berlin', 1],
  ['Nightly backup of the database', '0 3 * * *', 'Europe/Berlin', 60],
  ['Reports', '30 7 * * 1-5', 'Europe/Berlin', 60],
  ['report evening', '30 17 * * mon-fri', 'Europe/Berlin', 60],
  ['certbot renew', '5 4 * * sun', 'Europe/Berlin', 60],
  ['artisan schedule:run', '*/5 * * * *', 'Europe/Berlin', 2],
  ['queue-worker', '*/2 * * * *', 'Europe/Berlin', 1],
  ['pg_dump shop', '10 1 * * *', 'Europe/Berlin', 60],
  ['monitor', '20 1 * * *', 'Europe/Berlin', 60],
  ['with-environment', '40 1 * * *', 'Europe/Berlin', 60],
  ['manage clearsessions', '0 2 * * *', 'Europe/Berlin', 60],
  ['mail', '15 2 * * *', 'Europe/Berlin', 60],
  ['mail 2', '0 22 * * 1-5', 'Europe/Berlin', 60],
  ['Monthly close', '0 5 1 * *', 'Europe/Berlin', 60],
  ['find', '0 5 * * 7', 'Europe/Berlin', 60],
  ['twice-a-month', '0 0 1,15 * *', 'Europe/Berlin', 60],
  ['office-hours', '0 9-17 * * 1-5', 'Europe/Berlin', 30],
  ['every-other-hour', '0 9-17/2 * * *', 'Europe/Berlin', 60],
  ['half-hours', '0,30 8-18 * * mon,wed,fri', 'Europe/Berlin', 15],
  ['friday-or-13th', '0 0 13 * 5', 'Europe/Berlin', 60],
  ['odd-minute', '23 0-20/2 * * *', 'Europe/Berlin', 60],
  ['last-day', '0 12 L * *', 'Europe/Berlin', 60],
  ['first-friday', '0 12 * * 5#1', 'Europe/Berlin', 60],
  ['last-friday', '0 12 * * 5L', 'Europe/Berlin', 60],
  ['unlogged', '*/15 * * * *', 'Europe/Berlin', 7],
  ['tabs-and-spaces', '59 23 31 12 *', 'Europe/Berlin', 60],
  ['winter', '0 6 * JAN-MAR *', 'Europe/Berlin', 60],
  ['tokyo-open', '0 9 * * *', 'Asia/Tokyo', 60],
  ['tokyo-close', '0 15 * * 1-5', 'Asia/Tokyo', 60],
  ['New York opens', '30 9 * * 1-5', 'America/New_York', 60],
  ['New York closes', '0 16 * * 1-5', 'America/New_York', 60],
  ['home-again', '0 8 * * *', 'Europe/Berlin', 60],
  ['half-hour-zone', '0 2 * * *', 'Australia/Lord_Howe', 60],
  ['utc-midnight', '0 0 * * *', 'UTC', 60],
  ['ünïcödé-🦊', '0 10 * * *', 'Europe/Berlin', 60],
  ['ünïcödé-🦊 again', '0 11 * * *', 'Europe/Berlin', 60],
  ['curl', '45 23 * * *', 'Europe/Berlin', 60],
  ['a', '*/30 * * * *', 'Europe/Berlin', 15],
  ['a 2', '50 4 * * *', 'Europe/Berlin', 60],
  ['saturday', '0 4 * * 6', 'Europe/Berlin', 60],
  ['lucky', '7 7 7 7 *', 'Europe/Berlin', 60],
]
