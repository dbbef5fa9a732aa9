/** StrykerJS runs tests in threads, where setting the umask throws. */
Object.assign(process, { umask: () => 0o022 })
