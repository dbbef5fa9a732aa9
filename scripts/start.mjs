/**
 * Runs the app: `node scripts/start.mjs <preview | dev> [the app's own arguments]`.
 *
 * Prepares the checkout first. That works on the old Node that a machine may have; the rest runs on
 * the project's own.
 */
import { runInstead, scriptEnv } from './machine.mjs'
import { isNewEnough, prepare } from './setup.mjs'

prepare()
if (isNewEnough(process.versions.node)) await import('./run-app.mjs')
else process.exitCode = await runInstead('node', process.argv.slice(1), scriptEnv)
