import fc from 'fast-check'

/**
 * Generated cases are the same in every run: whoever changes something else is not to find an old
 * fault by chance. `CASES_SEED=N` tries others.
 */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(process.env['CASES_SEED'] ?? 20_261_129),
})
