import { describe, expect, test } from 'vitest'
import { lineThatMatters } from '../../../src/shared/core/checks/line-that-matters.ts'
import { withoutSecrets } from '../../../src/shared/core/secrets.ts'
import { costOf } from '../../support/busy.ts'

describe('a password that a job printed', () => {
  const token = `gl${'pat'}-AbCdEfGhIjKlMnOpQrSt`
  test.each([
    [
      `fatal: unable to access 'https://oauth2:${token}@git.example/x.git/': error: 403`,
      "fatal: unable to access 'https://oauth2:•••@git.example/x.git/': error: 403",
    ],
    [`rest:https://${token}@host/repo`, 'rest:https://•••@host/repo'],
    ['postgresql://app:s3cr3t@db:5432/app failed', 'postgresql://app:•••@db:5432/app failed'],
    ['redis://:s3cr3t@cache:6379/0', 'redis://:•••@cache:6379/0'],
    ['amqp://app:p@ss/word@mq/v', 'amqp://app:•••@mq/v'],
    ['https://u:s3cr3t@npm.example/@scope/a?x=b@c', 'https://u:•••@npm.example/@scope/a?x=b@c'],
    ['+ borg --password=s3cr3t create', '+ borg --password=••• create'],
    ["mysqldump --password 's3c r3t' db", "mysqldump --password '•••' db"],
    ['x --db-passwd s3cr3t -v', 'x --db-passwd ••• -v'],
    ['> Authorization: Bearer abc.def', '> Authorization: Bearer •••'],
    [`curl -H "Authorization: token abc" x`, `curl -H "Authorization: token •••" x`],
    ['{"authorization": "Basic dTpw"}', '{"authorization": "Basic •••"}'],
  ])('is masked, and the rest stays: %s', (output, shown) => {
    expect(withoutSecrets(output)).toBe(shown)
    expect(lineThatMatters(output)).toBe(shown)
  })

  test.each([
    'ssh://git@git.example/x.git',
    'http://localhost:4873/@scope/package',
    'https://host.example/a?mail=me@host.example',
    'restic --password-file /etc/restic -r sftp:backup@host:/b',
    'https://host.example:8443/a:b',
    'WARNING! Using --password via the CLI is insecure. Use --password-stdin.',
    '  + password = (sensitive value)',
  ])('is not seen in %s', (output) => {
    expect(withoutSecrets(output)).toBe(output)
  })

  test('is masked in a key that is cut off, and what follows is not', () => {
    const key = `-----BEGIN PRIVATE KEY-----\r\n${'MIIEvQIBADANBgkqhkiG9w0BAQEF'.repeat(2)}\r\n`
    expect(withoutSecrets(`${key}\r\nerror: disk full\r\nbye `)).toBe(
      '-----BEGIN PRIVATE KEY-----•••\nerror: disk full\r\nbye ',
    )
  })

  test('is masked before a long line is cut', () => {
    expect(lineThatMatters(`error: ${'x '.repeat(480)}https://u:${token}@h`)).not.toContain(token)
  })

  test.each([
    ...['a://', 'a.', 'a:', '--pass-', 'authorization: ', 'https://u:p', '@', 'a', 'x-', 'eyJ.'],
    ...['-eyJa', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----\n', 'password ', 'key-'],
    ...[
      'secret_a',
      '"password":"',
      'pwd=> string(1) ',
      `pwd${' '.repeat(41)}`,
      'user a identified by ',
      'mysql -p',
      'docker login ',
      '?aaaa',
      'htpasswd -b a',
      '\\"',
    ],
    ...['sk-', 'sk_1', 'glpat-', 'xapp-1-A-1-', 'SG.a', 'AKIA', '0c8b1f2e-', '://a/hooks/', ' = '],
  ])('is looked for in linear time, also in 100 kB of %j', (piece) => {
    const text = piece.repeat(100_000 / piece.length)
    expect(costOf(() => withoutSecrets(text))).toBeLessThan(1_000)
  })

  test.each(['Authorization: ', 'curl -u a:', '--password=', '"token": "'])(
    'is told from what was left out in linear time, after %j',
    (begin) => {
      const cost = costOf(() => {
        for (const piece of ['{', '{\u2018', '({"', '[', '<', '%(', '$('])
          withoutSecrets(`${begin}${piece.repeat(100_000 / piece.length)}}S`)
      })
      expect(cost).toBeLessThan(2_000)
    },
  )
})
