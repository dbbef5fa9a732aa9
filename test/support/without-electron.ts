/* electron-store imports Electron but needs nothing from it; the build removes that import. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: 'data:text/javascript,export default {}', shortCircuit: true }
      : next(specifier, context),
})
