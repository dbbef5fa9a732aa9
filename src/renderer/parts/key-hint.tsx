export function KeyHint({ keys }: { readonly keys: string }) {
  return <kbd class="key-hint">{keys}</kbd>
}
