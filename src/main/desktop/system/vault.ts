import { safeStorage } from 'electron'

/** Electron's safeStorage, as `storage/vault.ts` wants it. Only its asynchronous half: the other blocks on a locked wallet, and goes in 46. */
export const systemStorage = {
  available: (): Promise<boolean> => safeStorage.isAsyncEncryptionAvailable(),
  encrypt: (text: string): Promise<Uint8Array> => safeStorage.encryptStringAsync(text),
  decrypt: async (bytes: Uint8Array): Promise<{ text: string; stale: boolean }> => {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes))
    return { text: result, stale: shouldReEncrypt }
  },
  /** Of the synchronous half, which goes; while it is there it names the keyring all the same. */
  backend: (): string | null =>
    process.platform === 'linux' && 'getSelectedStorageBackend' in safeStorage
      ? safeStorage.getSelectedStorageBackend()
      : null,
}
