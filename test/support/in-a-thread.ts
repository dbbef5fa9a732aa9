import fc from 'fast-check'

/** StrykerJS runs tests in threads, where setting the umask throws. */
Object.assign(process, { umask: () => 0o022 })

/** It runs them a thousand times, so that most generated cases are tried by others. */
// oxlint-disable-next-line typescript/no-deprecated -- the plugin can't be set for all tests.
fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: 300 })
