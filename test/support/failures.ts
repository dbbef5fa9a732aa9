import { type Failure, RequestFailed } from '../../src/shared/core/failure.ts'

/**
 * The failure that a promise rejects with. Throws if it fulfils, or rejects with something else.
 */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise
  } catch (error) {
    if (error instanceof RequestFailed) return error.failure
    throw error
  }
  throw new Error('it did not fail')
}
