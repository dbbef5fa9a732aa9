import { describe, expect, test } from 'vitest'
import { commandName } from '#shared/core/checks/cron-job-name.ts'
import { readCrontab, seemsToHaveUsers } from '#shared/core/checks/crontab.ts'
import { crontabWithPings } from '#shared/core/checks/crontab-pings.ts'
import { costOf } from '../../../support/busy.ts'
import { fiftyChecks, fiftyLines } from '../../../support/fifty-lines.ts'

const now = Date.UTC(2026, 10, 23, 12)
const options = { zone: 'Europe/Berlin', hasUsers: false, now }
const read = (text: string, change: Partial<typeof options> = {}) =>
  readCrontab(text, { ...options, ...change })

describe('a crontab of fifty jobs of all kinds', () => {
  const fifty = read(fiftyLines)

  test('becomes fifty checks with name, schedule, zone and grace', () => {
    expect(fiftyChecks).toHaveLength(50)
    expect(
      fifty.jobs.map(({ name, expression, zone, graceSeconds }) => [
        name,
        expression,
        zone,
        graceSeconds / 60,
      ]),
    ).toEqual(fiftyChecks)
    expect(fifty.jobs.filter(({ leftOut }) => leftOut !== null).map(({ name }) => name)).toEqual([
      'curl',
    ])
    const [backup] = fifty.jobs.filter(({ name }) => name.startsWith('Nightly'))
    expect(backup?.description).toBe('Runs on the primary only.')
  })

  test("lists each line that can't be imported with the reason", () => {
    expect(fifty.refused.map(({ text, why }) => `${text.split(' ').at(-1)}: ${why}`)).toEqual([
      '/opt/warm-cache.sh: @reboot has no time: it runs whenever the computer starts.',
      '*: This is not a crontab line: five time fields, then a command.',
      '/opt/no-such-hour: “25” is not a valid hour: use 0 to 23.',
      '/opt/no-such-day: It never runs: these months have no day 31.',
      '/opt/random-minute: It runs at a random time (~), so no time can be expected.',
      '/opt/too-often: @every_second is not a schedule that Belfry knows.',
      '/opt/with-seconds: It has more than five time fields. Cron has none for seconds or years.',
      '/opt/disabled: It runs nothing: its command is a comment.',
      '/opt/martian: Belfry does not know the time zone Mars/Base.',
    ])
  })

  test.each(['0 0/5 * * * ?', '0 */5 * * * *', '0 15 10 * * ? 2026 /opt/a'])(
    'has no schedule with seconds, as Quartz and Spring write them: %s',
    (line) => {
      const { jobs, refused } = read(line)
      expect(jobs).toEqual([])
      expect(refused.map(({ why }) => why)).toEqual([
        'It has more than five time fields. Cron has none for seconds or years.',
      ])
    },
  )

  test('is written back unchanged except for the pings', () => {
    expect(crontabWithPings(fifty, new Map(), 'success')).toBe(fiftyLines)
    const pings = new Map(fifty.jobs.map(({ line }) => [line, `ping-${line}`]))
    const lines = crontabWithPings(fifty, pings, 'success').split('\n')
    expect(lines.filter((line) => /ping-\d+/.test(line))).toHaveLength(50)
    const untouched = lines.filter((line) => !line.includes('ping-'))
    expect(untouched.filter((line) => !fifty.lines.includes(line))).toEqual([])
    // Read again, it gives the same jobs.
    const again = read(lines.join('\n'))
    expect(again.jobs.map(({ expression, zone }) => [expression, zone])).toEqual(
      fifty.jobs.map(({ expression, zone }) => [expression, zone]),
    )
  })
})

describe('a line of a crontab', () => {
  const job = (line: string, change = {}) => read(line, change).jobs[0]

  test('has its zone in its canonical spelling, however it was typed', () => {
    const zones = (text: string, zone: string) => read(text, { zone }).jobs.map((one) => one.zone)
    const text = '0 3 * * * /opt/a\nCRON_TZ=asia/TOKYO\n0 4 * * * /opt/b\nTZ=utc 0 5 * * * /opt/c'
    expect(zones(text, 'europe/berlin')).toEqual(['Europe/Berlin', 'Asia/Tokyo', 'UTC'])
    // An old name, which the computer knows but does not list.
    expect(zones('0 3 * * * /opt/a', 'US/Eastern')).toEqual(['US/Eastern'])
  })

  test('of a system crontab names its user first', () => {
    const system = '# m h dom mon dow user command\n0 3 * * * root /opt/backup\n@daily git /opt/gc'
    expect(seemsToHaveUsers(system)).toBe(true)
    expect(seemsToHaveUsers('0 3 * * * root /opt/backup\n1 3 * * * backup /opt/x')).toBe(true)
    expect(seemsToHaveUsers('0 3 * * * ubuntu /opt/backup')).toBe(true)
    expect(seemsToHaveUsers('@daily git /opt/gc\n1 3 * * * deploy cd /srv && ./run')).toBe(true)
    expect(seemsToHaveUsers('#minute hour mday month wday who command\n0 3 * * * a b')).toBe(true)
    expect(seemsToHaveUsers('0 3 * * * python3 /opt/backup\n1 3 * * * git gc')).toBe(false)
    expect(seemsToHaveUsers('0 3 * * * rsync /a /b\n1 3 * * * bash /opt/x')).toBe(false)
    expect(seemsToHaveUsers('0 3 * * * ubuntu /opt/a\n0 3 * * * /opt/b')).toBe(false)
    expect(seemsToHaveUsers(fiftyLines)).toBe(false)
    expect(seemsToHaveUsers('')).toBe(false)
    const { jobs } = read(system, { hasUsers: true })
    expect(jobs.map(({ name, before }) => [name, before])).toEqual([
      ['backup', '0 3 * * * root '],
      ['gc', '@daily git '],
    ])
    expect(read('0 3 * * * root', { hasUsers: true }).refused).toHaveLength(1)
  })

  test('keeps the input that cron passes to its command', () => {
    expect(job('0 22 * * * mail joe%Joe,%%Where?')).toMatchObject({
      command: 'mail joe',
      after: '%Joe,%%Where?',
    })
    expect(job(String.raw`0 22 * * * echo 50\% # done`)).toMatchObject({ name: 'done', after: '' })
  })

  test('may be as odd as people write them', () => {
    expect(read('').jobs).toEqual([])
    expect(read('\r\n0 3 * * * a\r0 4 * * * b\n').jobs.map(({ line }) => line)).toEqual([1, 2])
    expect(read(`0 3 * * * /opt/${'x'.repeat(500)}`).jobs[0]?.name).toHaveLength(100)
    expect([...(read(`# ${'👍'.repeat(500)}\n0 3 * * * a`).jobs[0]?.name ?? '')]).toHaveLength(100)
    const same = Array.from({ length: 3 }, () => `0 3 * * * /opt/${'y'.repeat(200)}`).join('\n')
    expect(new Set(read(same).jobs.map(({ name }) => name)).size).toBe(3)
    expect(read(`${'0,'.repeat(60)}0 3 * * * a`).refused[0]?.why).toMatch(/100 characters/)
    expect(read(`0 3 * * * ${'"'.repeat(60_000)}`).refused[0]?.why).toMatch(/longer than cron/)
    const many = '0 0 29 2 * /opt/x\n'.repeat(3_000)
    expect(new Set(read(many).jobs.map(({ name }) => name)).size).toBe(3_000)
    expect(read('\u0000\u001b[31m garbage').refused).toHaveLength(1)
    expect(read('Dear all,\nhere is my crontab').refused).toHaveLength(2)
  })
})

test.each([
  ['/usr/bin/find /tmp -delete', 'find'],
  ['cd /srv && ./deploy.sh now', 'deploy now'],
  ['/opt/a.sh > /tmp/x 2>&1', 'a'],
  ['PATH=/x:/y nice -n 19 ionice -c2 -n7 /opt/b', 'b'],
  ['docker exec -t db pg_dump', 'pg_dump'],
  ['docker-compose exec -T -u www-data app php occ files:scan', 'occ files:scan'],
  ['/usr/local/bin/python3.11 /srv/x/scraper.py', 'scraper'],
  ['java -jar /opt/tool.jar', 'tool'],
  ['/bin/bash -lc "/opt/c --x"', 'c'],
  ['true', 'true'],
  ['sudo', 'sudo'],
  ['$HOME/bin/x', 'x'],
  ['$DIR/x', 'x'],
  [`"\${DIR}"/x.sh --all`, 'x'],
  ['$PYTHON /opt/report.py', 'report'],
  ["/bin/bash -l -c 'cd /a && bundle exec rake x:y'", 'rake x:y'],
  ['if [ -x /a ]; then /a; fi', 'a'],
  ['for one in a b; do /opt/sync $one; done', 'sync'],
  ['cd / && run-parts --report /etc/cron.hourly', 'cron.hourly'],
  ['test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }', 'cron.daily'],
  ['[[ -f /a ]] && /opt/b', 'b'],
  ['`which foo`', 'which foo'],
  ['sudo -u me sh -c "cd /srv && run"', 'run'],
  ['flock -n /run/x.lock -c "TZ=UTC /usr/sbin/sanoid --cron"', 'sanoid'],
  [
    'which zfs-auto-snapshot >/dev/null || exit 0; zfs-auto-snapshot --quiet //',
    'zfs-auto-snapshot',
  ],
  ['(echo "Subject: x"; cat /var/log/x) | sendmail', 'sendmail'],
  ['docker compose run --rm -e A=b web python manage.py clearsessions', 'manage clearsessions'],
  ['>/dev/null', 'cron job'],
])('the name of %s is %s', (command, name) => {
  expect(commandName(command)).toBe(name)
})

describe('a comment above a job', () => {
  test.each([
    ['# Nightly backup', 'Nightly backup'],
    ['#minute hour mday month wday who command', 'a'],
    ['# m h dom mon dow   command', 'a'],
    ['# min hour day month weekday command', 'a'],
    ['# Begin Whenever generated tasks for: /srv/app at: 2026-11-23 10:00', 'a'],
    ['# BEGIN ANSIBLE MANAGED BLOCK', 'a'],
    ['# HEADER: This file was autogenerated at 2026-11-23 by puppet.', 'a'],
    ['# Lines below here are managed by Salt, do not edit', 'a'],
    [
      '# DO NOT EDIT THIS FILE - edit the master and reinstall.\n# (/tmp/crontab.aKz9T/crontab installed on Thu Mar  1 12:00:00 2012)\n# (Cron version V5.0 -- $Id: crontab.c,v 1.12 2004/01/23 18:56:42 vixie Exp $)',
      'a',
    ],
    ['#Ansible: Nightly backup', 'Nightly backup'],
    ['#Ansible: None', 'a'],
    ['# Puppet Name: nightly', 'nightly'],
    ['# Puppet Name: nightly\nPATH=/usr/bin\nMAILTO=me', 'nightly'],
    ['# Chef Name: nightly', 'nightly'],
    ['# SALT_CRON_IDENTIFIER:nightly', 'nightly'],
    ['# The backup SALT_CRON_IDENTIFIER:nightly', 'The backup'],
    ['# SALT_CRON_IDENTIFIER:/opt/a --full', 'a'],
    ['# Mail goes to me\nMAILTO=me', 'a'],
    ['# ---- Backups ----', 'Backups'],
    ['# 0 4 * * * /opt/old', 'a'],
  ])('names it or not: %s', (above, name) => {
    expect(read(`${above}\n0 3 * * * /opt/a --full`).jobs[0]?.name).toBe(name)
  })

  test('of a tool is told of, so that the ping is added where the line comes from', () => {
    const notes = (text: string) => read(text).jobs[0]?.notes
    expect(notes('#Ansible: x\n0 3 * * * /opt/a')).toEqual([
      'Ansible writes this line: add the ping there, too.',
    ])
    expect(notes('# x\n0 3 * * * /opt/a')).toEqual([])
  })
})

describe('a job that is watched already', () => {
  test.each([
    ['/opt/a && curl -fsS https://hc-ping.com/0c8b1f2e-1111-4222-8333-444455556666'],
    ['/opt/a && curl -fsS https://hc-ping.com/uD2d4tYKZbKkk5DEsNTyNw/nightly'],
    ['/opt/a && wget -qO- https://hc.example/ping/uD2d4tYKZbKkk5DEsNTyNw/nightly'],
    ['runitor -uuid 0c8b1f2e-1111-4222-8333-444455556666 -- /opt/a'],
    ['hchk -u 0c8b1f2e-1111-4222-8333-444455556666 /opt/a'],
    ['healthchecks-monitor --slug a --exec "/opt/a"'],
    ['/opt/a && curl $PING'],
    [`/opt/a; curl -fsS "\${PING}/$?"`],
    ['/opt/a && curl https://nosnch.in/c2354d53d2'],
  ])('has no second check proposed: %s', (command) => {
    const [job] = read(
      `PING="https://hc-ping.com/uD2d4tYKZbKkk5DEsNTyNw/a"\n0 3 * * * ${command}`,
    ).jobs
    expect(job?.leftOut).toBe('Its command already pings a check.')
  })

  test('is not any job that has an address or a variable', () => {
    for (const command of ['curl https://example.org/cron.php', '/opt/a $HOME', 'ping example.org'])
      expect(read(`HOME=/root\n0 3 * * * ${command}`).jobs[0]?.leftOut).toBeNull()
  })
})

describe('a condition before a job', () => {
  const job = (line: string) => read(line).jobs[0]

  test.each([
    ['0 12 1-7 * * [ "$(date +\\%u)" = "1" ] && /opt/x', '0 12 * * 1#1'],
    ['0 12 8-14 * * [ `date +\\%a` == Tue ] && /opt/x', '0 12 * * 2#2'],
    ['0 12 15-21 * * [ 7 = "$(date +\\%u)" ] && /opt/x', '0 12 * * 0#3'],
    ['0 12 * * 1 test $(date +\\%d) -lt 8 && /opt/x', '0 12 * * 1#1'],
    ['0 12 * 6 sun [ $(date +\\%e) -le 7 ] && /opt/x', '0 12 * 6 0#1'],
    ['0 23 28-31 * * [ "$(date -d tomorrow +\\%d)" = "01" ] && /opt/x', '0 23 L * *'],
    ['0 23 * * * test $(date -d "+1 day" +\\%d) -eq 1 && /opt/x', '0 23 L * *'],
    ['0 23 28-31 * * if [ "$(date +\\%d -d tomorrow)" = "01" ]; then /opt/x; fi', '0 23 L * *'],
  ])('that the schedule can say is said by it: %s', (line, expression) => {
    expect(job(line)).toMatchObject({ expression, isScheduled: true })
  })

  test.each([
    ['0 4 * * 1 [ $(( $(date +\\%V) \\% 2 )) -eq 0 ] && /opt/x'],
    ['0 12 2-8 * * [ "$(date +\\%u)" = "1" ] && /opt/x'],
    ['0 12 1-7 * 1 [ "$(date +\\%u)" = "1" ] && /opt/x'],
    ['0 12 * * 1 [ $(date +\\%d) -gt 8 ] && /opt/x'],
    ['0 12 1-7 * * [ "$(date +\\%u)" = "1" -o -f /a ] && /opt/x'],
    ['0 12 1-7 * * [ -f /a ] && /opt/x'],
    ['0 23 28-31 * * [ "$(date +\\%d)" = "31" ] && /opt/x'],
  ])('that it can’t say is left to the command: %s', (line) => {
    const expression = line.split(' ').slice(0, 5).join(' ')
    expect(job(line)).toMatchObject({ expression, isScheduled: false })
  })

  test('that no computer with systemd fulfils leaves the job out, and a wait lengthens the grace', () => {
    const certbot = job(
      "0 */12 * * * test -x /usr/bin/certbot -a \\! -d /run/systemd/system && perl -e 'sleep int(rand(43200))' && certbot -q renew",
    )
    expect(certbot?.leftOut).toMatch(/^On a computer with systemd/)
    const scrub = job('30 3 * * 0 test -e /run/systemd/system || MODE=1 /usr/lib/e2scrub_all_cron')
    expect(scrub?.leftOut).toMatch(/^On a computer with systemd/)
    expect(certbot).toMatchObject({ name: 'certbot', graceSeconds: 3_600 + 43_200 })
    const graces = [
      'sleep 30',
      'sleep 5m',
      'sleep $((RANDOM \\% 600))',
      'sleep $(shuf -i 0-900 -n 1)',
    ]
    expect(
      graces.map((wait) => (job(`0 3 * * * ${wait}; /opt/a`)?.graceSeconds ?? 0) - 3_600),
    ).toEqual([30, 300, 600, 900])
    expect(job('0 3 * * * sleep 5m; /opt/a')?.notes).toEqual([
      'It may wait 5 min first: the grace allows for it.',
    ])
  })
})

test('a long crontab takes as long as its length says, whatever its lines are', () => {
  const lines = [
    '# a',
    '#',
    'x=1',
    '* * * * * a; b | c',
    '0 3 * * * a # b',
    'no job',
    `# ${'-'.repeat(1_900)}x`,
  ]
  const took = (line: string, length: number) => {
    const text = `${line}\n`.repeat(Math.ceil(length / (line.length + 1)))
    return Math.min(...Array.from({ length: 5 }, () => costOf(() => read(text))))
  }
  // Eight times as long; what grew with the square would take 64 times as long.
  for (const line of lines) expect(took(line, 60_000)).toBeLessThan(30 * took(line, 7_500) + 40)
})

describe('the crontab with pings', () => {
  const pinged = (text: string, ping = 'ping') => {
    const tab = read(text)
    return crontabWithPings(tab, new Map(tab.jobs.map(({ line }) => [line, ping])), 'success')
  }

  test.each([
    ['echo "a', 'its quotes don’t close'],
    ["echo 'a", 'its quotes or brackets don’t close'],
    ['cat <<X', 'it has a here-document or a process substitution'],
    ['a &&', 'it has an empty part'],
    ['a |', 'it has an empty part'],
    ['a \\', 'its quotes or brackets don’t close'],
    ['a & b', 'a part of it runs in the background'],
    ['case x in x) a;; esac', 'it uses “case”'],
    ['screen -dmS backup /opt/backup', 'it starts its job in the background'],
    ['mail -s "$(/opt/a)" me@example.org', 'a job inside “$(…)” can fail unseen'],
    ['a | head -1', '“head” stops reading before its job has ended'],
    [`/opt/${'b'.repeat(990)}`, 'with a ping, it is too long for cron'],
  ])('says why it can’t see whether a job fails: %#', (command, why) => {
    expect(pinged(`0 3 * * * ${command}`)).toBe(
      `# Belfry can't see whether this job fails: ${why}. Where it can be seen, add: ping\n0 3 * * * ${command}`,
    )
  })

  test('never has a line between the marker of a tool and its job', () => {
    const marked = [
      '#Ansible: a',
      '# Puppet Name: a',
      '# Chef Name: a\nPATH=/bin',
      '# x SALT_CRON_IDENTIFIER:a',
    ]
    for (const marker of marked) {
      const text = `${marker}\n0 3 * * * a & b`
      expect(pinged(`MAILTO=x\n\n${text}`)).toMatch(/^MAILTO=x\n\n# Belfry/)
      expect(pinged(`MAILTO=x\n\n${text}`).endsWith(`\n${text}`)).toBe(true)
    }
    expect(pinged('# Nightly\n0 3 * * * a & b')).toMatch(/^# Nightly\n# Belfry/)
  })

  test('has them before cron’s own input, with their per cent signs escaped', () => {
    expect(pinged('0 3 * * * cat%Hello%', 'curl a%20b')).toBe(
      String.raw`0 3 * * * cat && curl a\%20b%Hello%`,
    )
  })
})
