import prefresh from '@prefresh/vite'
import { defineConfig } from 'electron-vite'

export default defineConfig({
  main: { build: { sourcemap: true } },
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
    plugins: [await prefresh()],
    build: { sourcemap: true, minify: true },
  },
})
