import type { Known } from './compare.ts'

const ownScheme =
  'Chromium asks nobody for a scheme that it does not know, so its pages are served at https://<host>.app.localhost; what main sees is app://'
const preloadOfNode =
  'Belfry’s preload requires electron alone and uses nothing of Node, so the stand-in has no more'

/** Where the stand-in remains different from Electron, and why. */
export const known: Known = {
  'control: which host it is':
    'were this alike, both answers would have come from one host, or nothing would be compared',
  'page: its address': ownScheme,
  'page: its origin': ownScheme,
  'page: service workers': ownScheme,
  'bridge: what the preload may require': preloadOfNode,
  'bridge: what the preload has of Node': preloadOfNode,
  'window: the title of the page':
    'Belfry’s window keeps its own title whatever its page says, so the stand-in has no titles',
  'dialog: nobody chooses':
    'there is no file dialog on the stand-in, so it answers at once that nothing was chosen, unless a spec puts a choice in its place',
}
