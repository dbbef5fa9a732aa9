import axe from 'axe-core'
import type { Page } from 'playwright/test'
import { expect } from './fixtures.ts'

/** The rules of axe that depend on colours; all others give the same result in both themes. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** The page’s axe violations, as `rule: element`. */
export async function violations(
  window: Page,
  rules: readonly string[] = [],
): Promise<readonly string[]> {
  // Evaluated once per page, since that takes longer than a run.
  if (!(await window.evaluate(() => 'axe' in globalThis))) await window.evaluate(axe.source)
  const found = await window.evaluate((chosen) => {
    const options = chosen.length > 0 ? { runOnly: [...chosen] } : {}
    return (Reflect.get(globalThis, 'axe') as typeof axe).run(document, options)
  }, rules)
  const least = rules.length > 0 ? 0 : 10
  expect(found.passes.length, 'rules that axe found kept').toBeGreaterThan(least)
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** Runs axe on the window, light and dark. `keep` is called in each theme, to take a picture. */
export async function expectAccessible(
  window: Page,
  name: string,
  keep?: (named: string) => Promise<unknown>,
): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const named = `${name}-${theme}`
    await window.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await expect(window.locator('html')).toHaveAttribute('data-theme', theme)
    expect(await violations(window, theme === 'dark' ? ofColours : []), named).toEqual([])
    await keep?.(named)
  }
}
