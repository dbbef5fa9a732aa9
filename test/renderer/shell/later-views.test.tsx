import { expect, onTestFinished, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { onceShown } from '../../../src/renderer/parts/once-shown.ts'
import { rest, restAtInput } from '../../../src/renderer/shell/views.ts'
import * as eg from '../../support/eg.ts'
import { withState } from '../mount.ts'

test('the other views are loaded at the first input, not before', async () => {
  withState({ ...eg.state(), boards: new Map([[eg.opsId, eg.board([eg.check()])]]) })
  onTestFinished(restAtInput())
  await new Promise<void>((resolve) => {
    onceShown(resolve, 1_000)
  })
  expect(rest.loaded.value).toBeNull()
  await userEvent.keyboard('j')
  await expect.poll(() => rest.loaded.value).not.toBeNull()
})
