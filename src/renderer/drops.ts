/**
 * What is dropped beside the places that take it must not become the page: a file or a link would
 * be opened. Text still drops into fields, and a file into a field for files.
 */
export function refuseDrops(): void {
  const refuse = (drag: DragEvent): void => {
    const types = drag.dataTransfer?.types ?? []
    const onto = drag.target instanceof Element ? drag.target.closest('input, textarea') : null
    const opens = types.includes('Files')
      ? !(onto instanceof HTMLInputElement && onto.type === 'file')
      : types.includes('text/uri-list') && onto === null
    if (opens) drag.preventDefault()
  }
  document.addEventListener('dragover', refuse)
  document.addEventListener('drop', refuse)
}
