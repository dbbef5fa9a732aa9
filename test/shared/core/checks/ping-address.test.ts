import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { CheckDetails } from '../../../../src/shared/core/checks/check.ts'
import {
  isPingAddress,
  type PingForm,
  pingAddressText,
} from '../../../../src/shared/core/checks/ping.ts'
import * as eg from '../../../support/eg.ts'

const uuid = '0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6'
const url = `https://hc-ping.com/${uuid}`
const curl = `curl -fsS -m 10 --retry 5 -o /dev/null ${url}`

function text(form: PingForm, change: Partial<CheckDetails> = {}): string | null {
  return pingAddressText(eg.details({ uuid, pingUrl: url, ...change }), form)
}

function cronLine(schedule: CheckDetails['schedule']): string | null {
  return text('cron', { schedule })
}

describe('a ping address', () => {
  test.each([
    url,
    `http://127.0.0.1:8000/ping/${uuid}`,
    `https://example.org/hc/ping/${uuid}`,
    `http://[::1]:8000/ping/${uuid}`,
  ])('may be %s', (address) => {
    expect(isPingAddress(address, uuid)).toBe(true)
  })

  test.each([
    `${url}/fail`,
    `https://hc-ping.com/${uuid.replace('0c8b', '0c8c')}`,
    `ftp://hc-ping.com/${uuid}`,
    `https://user@hc-ping.com/${uuid}`,
    `https://hc-ping.com/$(reboot)/${uuid}`,
    `https://hc-ping.com/a';reboot;'/${uuid}`,
    `https://hc-ping.com/\n/${uuid}`,
    `https://hc-ping.com/?to=/${uuid}`,
    `https://hc-ping.com/${'x'.repeat(2_000)}/${uuid}`,
  ])('is never %j', (address) => {
    expect(isPingAddress(address, uuid)).toBe(false)
  })
})

describe('the text for the clipboard', () => {
  test('is the address, or a command that is quiet, has a timeout and retries', () => {
    expect(text('url')).toBe(url)
    expect(text('curl')).toBe(curl)
    expect(text('wget')).toBe(`wget -q -T 10 -t 5 -O /dev/null ${url}`)
  })

  test('sends a POST if nothing else counts', () => {
    expect(text('curl', { methods: 'POST' })).toContain(` -X POST ${url}`)
    expect(text('wget', { methods: 'POST' })).toContain(` --post-data='' ${url}`)
  })

  test('is null without an address', () => {
    expect(text('url', { pingUrl: null })).toBeNull()
  })

  test('quotes what a shell would expand as a pattern', () => {
    const pingUrl = `http://[::1]:8000/ping/${uuid}`
    expect(text('curl', { pingUrl })).toContain(` '${pingUrl}'`)
  })
})

describe('a cron line', () => {
  const cron = (expression: string, zone = 'UTC') => cronLine({ kind: 'cron', expression, zone })

  test('has the schedule of the check, and pings only if the command succeeded', () => {
    expect(cron('0  3 * * 1-5')?.split('\n')).toEqual([
      '# Times are in zone UTC.',
      `0 3 * * 1-5 /path/to/command && ${curl}`,
    ])
  })

  test('names its time zone, but no zone that is more than a name', () => {
    expect(cron('0 3 * * *', 'Europe/Berlin')).toMatch(/^# Times are in zone Europe\/Berlin\.\n0 3/)
    expect(cron('0 3 * * *', 'UTC\n* * * * * reboot')).not.toContain('reboot')
  })

  test('escapes the character that ends a command in a crontab', () => {
    const pingUrl = `https://example.org/a%20b/${uuid}`
    expect(text('cron', { pingUrl })).toContain('/a\\%20b/')
    expect(text('curl', { pingUrl })).toContain('/a%20b/')
  })

  test('is null for an invalid schedule', () => {
    expect(cron('* * * * $(reboot)')).toBeNull()
    expect(cronLine({ kind: 'onCalendar', expression: 'Mon 9:00', zone: 'UTC' })).toBeNull()
  })

  test.each([
    [60, '* * * * *'],
    [300, '*/5 * * * *'],
    [420, '*/6 * * * *'],
    [3_000, '*/30 * * * *'],
    [3_600, '0 * * * *'],
    [18_000, '0 */4 * * *'],
    [86_400, '0 0 * * *'],
    [604_800, '0 0 * * 0'],
    [31_536_000, '0 0 1 * *'],
  ])('for a period of %d s never pings less often: %s', (periodSeconds, expected) => {
    expect(cronLine({ kind: 'period', periodSeconds })).toBe(
      `${expected} /path/to/command && ${curl}`,
    )
  })
})

describe('a shell command', () => {
  test('reports the start and the exit status, even of a failure', () => {
    const line = text('shell') ?? ''
    expect(line).toBe(`${curl}/start; /path/to/command; ${curl}/$?`)
    const ran = execFileSync(
      '/bin/sh',
      ['-c', `curl() { echo "$8"; }; ${line.replace('/path/to/command', '(exit 3)')}`],
      { encoding: 'utf8' },
    )
    expect(ran.split('\n').slice(0, 2)).toEqual([`${url}/start`, `${url}/3`])
  })
})

describe('a systemd unit', () => {
  const unit = (schedule: CheckDetails['schedule'], name = 'Nightly 50% \n[Unit]') =>
    text('systemd', { schedule, name, pingUrl: `https://example.org/a%20b/${uuid}` }) ?? ''
  const timer = (
    expression: string,
    zone = 'Europe/Berlin',
    kind: 'cron' | 'onCalendar' = 'cron',
  ) =>
    unit({ kind, expression, zone })
      .split('\n')
      .filter((line) => /^#? ?OnCalendar|^OnBoot|^OnUnit/.test(line))

  test('reports the start and the exit status or failure, and contains no specifier', () => {
    const lines = unit({ kind: 'period', periodSeconds: 3_600 }).split('\n')
    expect(lines[0]).toBe('# /etc/systemd/system/nightly-50-unit.service')
    expect(lines).toContain('Description=Nightly 50%% [Unit]')
    expect(lines.filter((line) => line === '[Unit]')).toHaveLength(1)
    expect(lines).toContain(
      `ExecStartPre=-/usr/bin/curl -fsS -m 10 --retry 5 -o /dev/null "https://example.org/a%%20b/${uuid}/start"`,
    )
    expect(lines).toContain('OnUnitActiveSec=3600s')
    const [, script = ''] =
      /^ExecStopPost=-\/bin\/sh -c '(.*)'$/m.exec(lines.join('\n'))?.map((one) => one) ?? []
    const shell = script
      .replaceAll('$$', '$')
      .replaceAll('%%', '%')
      .replace('/usr/bin/curl', 'sent')
    const sent = (status: string) =>
      execFileSync('/bin/sh', ['-c', `sent() { echo "$8"; }; ${shell}`], {
        env: { EXIT_STATUS: status },
        encoding: 'utf8',
      }).trim()
    expect(['0', '3', 'KILL', ''].map((status) => sent(status).split('/').at(-1))).toEqual([
      '0',
      '3',
      'fail',
      'fail',
    ])
  })

  test('has a timer with the same times', () => {
    expect(timer('0 3 * * *')).toEqual(['OnCalendar=*-*-* 03:00:00 Europe/Berlin'])
    expect(timer('*/20 9-11 1 jan-feb *')).toEqual([
      'OnCalendar=*-01,02-01 09,10,11:00,20,40:00 Europe/Berlin',
    ])
    expect(timer('30 7 * * 1-5')).toEqual([
      'OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 07:30:00 Europe/Berlin',
    ])
    expect(timer('0 0 13 * 5')).toEqual([
      'OnCalendar=*-*-13 00:00:00 Europe/Berlin',
      'OnCalendar=Fri *-*-* 00:00:00 Europe/Berlin',
    ])
    // Every weekday, in addition to the 13th.
    expect(timer('0 0 13 * 0-6')).toContain(
      'OnCalendar=Sun,Mon,Tue,Wed,Thu,Fri,Sat *-*-* 00:00:00 Europe/Berlin',
    )
    expect(timer('Mon..Fri 9:00\nSat 10:00', 'UTC', 'onCalendar')).toEqual([
      'OnCalendar=Mon..Fri 9:00 UTC',
      'OnCalendar=Sat 10:00 UTC',
    ])
    expect(timer('0 12 L * *')).toEqual([
      '# OnCalendar= cannot express the schedule of this check.',
    ])
    expect(timer('x\nExecStart=reboot', 'UTC', 'onCalendar').join()).not.toContain('reboot')
  })
})
