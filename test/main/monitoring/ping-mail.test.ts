import { expect, test } from 'vitest'
import { readableBody } from '../../../src/main/monitoring/ping-mail.ts'
import { lineThatMatters } from '../../../src/shared/core/checks/line-that-matters.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** As the service keeps a ping by e-mail: as it came, with what each server on its way added. */
function mail(fields: readonly string[], body: string): string {
  return [
    'Received: from db1.example by mx.example with ESMTPS;',
    '\tMon, 1 Jan 2024 02:00:00 +0000 (UTC)',
    'ARC-Seal: i=1; a=rsa-sha256; t=1; cv=none; d=mx.example; s=arc;',
    '\tb=ErrorFailedFatal0000==',
    'From: Cron Daemon <root@db1.example>',
    'To: 0c8b1f2e-7f3a-4c1d-9a55-2f0d7c1e6b4a@hc-ping.com',
    `Subject: =?UTF-8?B?${base64('Cron – nightly')}?=`,
    'MIME-Version: 1.0',
    ...fields,
    '',
    body,
  ].join('\r\n')
}

const said = 'dumping 14 tables\npg_dump: error: disk full – 0 bytes left'
const shown = `Cron – nightly\n\n${said}`

test.each([
  [
    'base64',
    mail(
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'],
      base64(said),
    ),
  ],
  [
    'several parts',
    mail(
      ['Content-Type: multipart/alternative; boundary=zz'],
      `--zz\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${said}\r\n--zz\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n--zz--`,
    ),
  ],
  [
    'HTML alone',
    mail(
      ['Content-Type: text/html; charset=utf-8'],
      `<style>p { color: red }</style>dumping 14 tables<br>pg_dump: <b>error</b>: disk full – 0 bytes left`,
    ),
  ],
])('a ping by e-mail of %s reads as its subject and its text', async (_what, body) => {
  expect(await readableBody(body)).toBe(shown)
  expect(lineThatMatters(await readableBody(body))).toBe('pg_dump: error: disk full – 0 bytes left')
})

test.each([
  '',
  'From: here\nto: there\n\nand back',
  'Date: today\nSubject: x\nfailed to send\n\nFrom: y',
])('any other output stays as the job wrote it: %j', async (body) => {
  expect(await readableBody(body)).toBe(body)
})

test('of a very long e-mail the beginning is read, and what follows is known to be missing', async () => {
  const body = mail(['Content-Type: text/plain'], 'a line of a log\r\n'.repeat(500_000))
  const read = await readableBody(body)
  expect(read).toMatch(/^.*\n\na line of a log\n/)
  expect(read).toMatch(/\n\n… The rest of this e-mail is not read here\.$/)
  expect(read.length).toBeLessThan(101_000)
})
