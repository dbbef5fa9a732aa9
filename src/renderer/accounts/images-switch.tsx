import { useId } from 'preact/hooks'
import type { ChatAccount } from '#shared/core/account.ts'
import { call } from '../bridge.ts'
import { SwitchInput } from '../parts/switch-input.tsx'
import { sayIfFailed } from '../toast.ts'

/** Whether the pictures in messages are fetched from this realm. */
export function ImagesSwitch({ account }: { readonly account: ChatAccount }) {
  const id = useId()
  return (
    <div class="account-images">
      <SwitchInput
        id={id}
        on={account.images}
        onChange={(images) => sayIfFailed(call.setImages({ accountId: account.id, images }))}
      />
      <div>
        <label for={id}>Show images in messages</label>
        <p class="field-help" id={`${id}-help`}>
          From this server only; it then learns when you read.
        </p>
      </div>
    </div>
  )
}
