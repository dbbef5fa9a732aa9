/** A key as it stands on the keyboard. */
export function KeyHint({ keys }: { readonly keys: string }) {
  return <kbd class="key-hint">{keys}</kbd>
}
