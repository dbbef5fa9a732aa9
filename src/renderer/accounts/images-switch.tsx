import { useId } from 'preact/hooks'
import type { ChatAccount } from '#shared/core/account.ts'
import { call } from '../bridge.ts'
import { sayIfFailed } from '../say.ts'

/** Whether the pictures in messages are fetched from this realm. */
export function ImagesSwitch({ account }: { readonly account: ChatAccount }) {
  const id = useId()
  return (
    <div class="account-images">
      <input
        id={id}
        class="switch"
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked.
        role="switch"
        aria-describedby={`${id}-help`}
        checked={account.images}
        onChange={(change) =>
          sayIfFailed(
            call.setImages({ accountId: account.id, images: change.currentTarget.checked }),
          )
        }
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
