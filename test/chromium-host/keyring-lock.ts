/** A test locks the stand-in's keyring with a file of this name in userData. */
export const keyringLock = 'host-keyring-locked'
