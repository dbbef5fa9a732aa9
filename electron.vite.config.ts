import prefresh from '@prefresh/vite'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

/** The dev server sends styles as scripts and changes over a socket, which the page's policy forbids. */
const loosePolicy: Plugin = {
  name: 'loose-policy',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
}

/**
 * For main too: with ES modules the first request comes a tenth later, since each imported module
 * of Node is evaluated with all its parts.
 */
const commonJs = {
  format: 'cjs',
  strict: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
} as const

/**
 * A hint to V8: most functions of the first view are called as it is drawn, so all are compiled at
 * once, on another thread, and not one by one on the page's own. The other views are called much
 * later or never.
 */
const compileHint = ({ name }: { readonly name: string }): string =>
  name === 'later-views' ? '' : '//# allFunctionsCalledOnLoad'

/**
 * electron-store asks Electron for a folder, which we pass, and runs on a thread without Electron.
 */
const storeWithoutElectron: Plugin = {
  name: 'store-without-electron',
  transform: {
    filter: { id: /node_modules\/electron-store\// },
    handler(code) {
      const changed = code.replace("import electron from 'electron'", 'const electron = {}')
      if (changed === code) throw new Error('electron-store imports Electron differently now')
      return { code: changed, map: null }
    },
  },
}

export default defineConfig({
  main: {
    plugins: [storeWithoutElectron],
    build: {
      sourcemap: true,
      rolldownOptions: {
        input: { entry: 'src/main/entry.ts', 'disk-worker': 'src/main/storage/disk-worker.ts' },
        // V8 keeps the source in memory: without comments, and in ASCII, one byte for each
        // character.
        output: {
          ...commonJs,
          comments: false,
          minify: {
            compress: false,
            mangle: false,
            codegen: { removeWhitespace: false, asciiOnly: true },
          },
        },
      },
    },
  },
  preload: {
    build: {
      sourcemap: true,
      // A sandboxed preload is one CommonJS file without imports of its own.
      externalizeDeps: false,
      rolldownOptions: { output: commonJs },
    },
  },
  renderer: {
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [await prefresh(), loosePolicy],
    build: {
      sourcemap: true,
      minify: true,
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: { output: { postBanner: compileHint } },
    },
  },
})
