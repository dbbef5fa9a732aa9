/** A test locks the stand-in's keyring by a file of this name in userData; without it, it is open. */
export const keyringLock = 'host-keyring-locked'
