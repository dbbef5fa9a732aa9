import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import {
  commandName,
  crontabWithPings,
  readCrontab,
  seemsToHaveUsers,
  withPing,
} from '#shared/core/checks/crontab.ts'
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
    expect(fifty.jobs.filter(({ pings }) => pings).map(({ name }) => name)).toEqual(['curl'])
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
    expect(seemsToHaveUsers('0 3 * * * python3 /opt/backup\n1 3 * * * git gc')).toBe(false)
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
  ['docker exec -t db pg_dump', 'docker exec'],
  ['java -jar /opt/tool.jar', 'tool'],
  ['/bin/bash -lc "/opt/c --x"', 'c'],
  ['true', 'true'],
  ['sudo', 'sudo'],
  ['$HOME/bin/x', 'x'],
  ['`which foo`', 'which foo'],
  ['sudo -u me sh -c "cd /srv && run"', 'run'],
  ['>/dev/null', 'cron job'],
])('the name of %s is %s', (command, name) => {
  expect(commandName(command)).toBe(name)
})

describe('a ping at the end of a command', () => {
  /** The output of a command in a shell, after its background jobs have ended. */
  const ran = (command: string) => {
    const script = `${command}\nwait`
    try {
      return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout)
    }
  }

  test.each([
    ['true', true],
    ['false', false],
    ['true && false', false],
    ['false && true', false],
    ['false > /dev/null 2>&1', false],
    ['true &> /dev/null', true],
    ['true;', true],
    ['true # why', true],
    ['false # why', false],
    ["true '# no comment'", true],
    ['test "a # b" = "a # b" # why', true],
    ['exec true', true],
    ['exec false', false],
    ["sh -c 'true && false'", false],
    ['sleep 0 &', true],
    ['false &', false],
    ['(exit 2)', false],
    ['find /dev/null -exec true {} \\;', true],
    ['! true', false],
  ])('is sent if and only if `%s` succeeds', (command, isGood) => {
    const pinging = withPing(command, 'echo PING', 'success') ?? ''
    expect(ran(pinging).includes('PING')).toBe(isGood)
    const reporting = withPing(command, 'echo PING', 'exitStatus') ?? ''
    expect(/PING\/0/.test(ran(reporting))).toBe(isGood)
    expect(ran(reporting)).toMatch(/PING\/\d+/)
    expect(pinging.endsWith('why')).toBe(command.endsWith('why'))
  })

  test.each([['echo "a'], ["echo 'a"], ['cat <<X'], ['a &&'], ['a |'], ['a \\']])(
    'is left to the user if the end of the command is unclear: %s',
    (command) => {
      expect(withPing(command, 'ping', 'success')).toBeNull()
      const tab = read(`0 3 * * * ${command}`)
      expect(crontabWithPings(tab, new Map([[0, 'ping']]), 'success')).toBe(
        `# Belfry can't tell whether this job succeeds. Add where you can: ping\n0 3 * * * ${command}`,
      )
    },
  )

  test.each([
    ['mysqldump db | gzip > /b.gz'],
    ['/opt/a 2>&1 | tee -a /var/log/a | logger -t a'],
    ['/opt/a | mail -s Done me@example.org'],
    ['/opt/a |& logger'],
    ['/opt/a; /opt/b'],
    ['/opt/a || true'],
    ['/opt/a > /dev/null 2>&1 || :'],
    ['/opt/a & /opt/b'],
    ['( /opt/a; /opt/b ) &'],
    ['docker exec db mysqldump shop | gzip > /b.gz'],
    ['docker exec db sh -c "mysqldump shop | gzip" > /b.gz'],
    ["/bin/bash -l -c 'cd /srv && /opt/a | tee log'"],
    ["sh -c '/opt/a &'"],
    ["ssh -p 22 host '/opt/a; /opt/b'"],
    ['mail -s "$(/opt/a | head -1)" me@example.org'],
    ['for one in a b; do /opt/a $one; done'],
  ])('is not added where the job may fail unseen: %s', (command) => {
    for (const of of ['success', 'exitStatus'] as const)
      expect(withPing(command, 'ping', of)).toBeNull()
  })

  test('comes before cron’s own input, with its per cent signs escaped', () => {
    const tab = read('0 3 * * * cat%Hello%')
    expect(crontabWithPings(tab, new Map([[0, 'curl a%20b']]), 'success')).toBe(
      String.raw`0 3 * * * cat && curl a\%20b%Hello%`,
    )
  })
})
