import { describe, expect, test } from 'vitest'
import { crontabWithPings } from '../../src/shared/core/checks/crontab-pings.ts'
import { corpora } from './corpora.ts'
import { scoreCrontabs } from './crontabs.ts'
import { scoreReasons } from './reasons.ts'
import { scoreSecrets } from './secrets.ts'

/** Each line of a crontab is run a dozen times, which takes long on a busy computer. */
const longestMs = 180_000

test.each(corpora)(
  'the corpus of $name is passed',
  async ({ score }) => {
    const { passed, wrong } = await score()
    expect(passed, wrong.join('\n')).toBe(true)
  },
  longestMs,
)

describe('a control', () => {
  test('finds few reasons right by a word, the first line or the last', () => {
    const shares = [
      (output: string) => output.split('\n').find((line) => /error|fail/i.test(line)) ?? '',
      (output: string) => output.split('\n')[0] ?? '',
      (output: string) => output.trimEnd().split('\n').at(-1) ?? '',
    ].map((choose) => {
      const { words, passed } = scoreReasons(choose)
      expect(passed).toBe(false)
      const [, right, all] = /^reasons: (\d+) of (\d+) right$/.exec(words) ?? []
      return Number(right) / Number(all)
    })
    for (const share of shares) expect(share).toBeLessThan(0.7)
  })

  test('shows every secret if nothing is masked, and masks every line if everything is', () => {
    expect(scoreSecrets((text) => text).words).toMatch(/^secrets: (\d+) of \1 shown, 0 of/)
    expect(scoreSecrets(() => '•••').words).toMatch(/ 0 of \d+ shown, (\d+) of \1 masked wrongly$/)
  })

  test('finds the pings that only follow a line false, and the programs that one adds', async () => {
    const lines = [
      'mysqldump ¦ 0 2 * * * mysqldump db | gzip > /b.gz',
      'a.sh ¦ 0 3 * * * /opt/a.sh',
    ]
    const naive = await scoreCrontabs(({ lines: [line = ''] }, pings) => {
      const [[, ping = ''] = []] = pings
      return `${line} && ${ping}`
    }, lines)
    expect(naive.wrong.map((why) => /: (when .*?): /.exec(why)?.[1]).sort()).toEqual([
      'when a.sh fails, it pings “”',
      'when it succeeds, it pings “ok”',
      'when it succeeds, it pings “ok”',
      'when mysqldump fails, it pings “ok”',
      'when mysqldump fails, it pings “ok”',
    ])
    const meddling = await scoreCrontabs(
      (tab, pings, of) => {
        return crontabWithPings(tab, pings, of).replace('/opt/a.sh', '/opt/b.sh; /opt/a.sh')
      },
      [`${lines[1]} b.sh`],
    )
    expect(meddling.wrong.join('\n')).toContain('it runs a.sh b.sh, not a.sh')
  })
})
