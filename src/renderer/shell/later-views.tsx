/**
 * What the window shows beside the checks. A file of its own when it is built, so that the first
 * view is drawn before any of it is read.
 */
export { QuietDialog } from '../attention/quiet-dialog.tsx'
export { Palette } from '../palette/palette.tsx'
export { KeyHelp } from './key-help.tsx'
export { PlaceView } from './place-view.tsx'
