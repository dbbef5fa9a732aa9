import prefresh from '@prefresh/vite'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { leanUndici } from './scripts/lean-undici.mjs'

/** The dev server sends styles as scripts and changes over a socket, which the page's policy forbids. */
const loosePolicy: Plugin = {
  name: 'loose-policy',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
}

export default defineConfig({
  main: { plugins: [leanUndici()], build: { sourcemap: true } },
  preload: {
    build: {
      sourcemap: true,
      // A sandboxed preload is one CommonJS file without imports of its own.
      externalizeDeps: false,
      rolldownOptions: { output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  },
  renderer: {
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [await prefresh(), loosePolicy],
    build: { sourcemap: true, minify: true, cssCodeSplit: false, modulePreload: false },
  },
})
