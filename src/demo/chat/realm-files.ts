import type { HttpReply } from '../../main/http/transport.ts'
import { bytesAnswer } from '../answers.ts'

/** A bell on a blue disc, 48 x 48. */
const icon =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAADFBMVEX///8vT3j61ngAAACWyTnHAAAAoUlEQVR4' +
  '2oXSwRHEIAgFUD1YQvqxBA/BgyXYjyV4kCpXRGLQnV1OeYN/HAPG7GUB/APoJd+OEF4NaTkGty7G/TrF56zArwiH' +
  'eiQiFg4pgAAYCbEO2AU/kBHbgFsIJ7DXwLVwH4iE8g2JUP8iE9pvOL6Tbg07IqN0WI5QyGuYBbOBHpQqPH8Ucptw' +
  'gjBHktsciZHMOUY1YDV6vRRqXfQiSX0Aml60eTtXFPkAAAAASUVORK5CYII='

/** A curve of response times with a bump, 240 x 120. */
const chartPng =
  'iVBORw0KGgoAAAANSUhEUgAAAPAAAAB4AgMAAACx2Je0AAAADFBMVEX6+vw6ZL7N3Pbh5OuCL9MqAAAB2ElEQVR4' +
  '2u2XO27DMAyGrQLO0D0dfIScwkfwEKqAj+BLNEfIUO8ZYiDmfbr0LkVLSX5QaFMEZGG3qDgY+Cl9ImWLoJW9KyxL' +
  'lixZsmTJfocZUMA5lFdGbmiGL/Ak75IWK/mWa3yWw40CzhE7MbxB7MXwA8GlFC4QUQzXGrgh+LgGbIgVf2gPn9eA' +
  'Nw7u/xzsDhiiCi5XgBs9fFwe9gdMCZ808Fl+wNaELyL4PsC9qEu+DrCoSxbfRb4RRsXpFFbGevDA4kF+tJXwcWn4' +
  'TgNvRvikgc9Lw8WPwJel4d0I94q6WBFGRUVKCtrcCBvYcxnU1/D2010JAKJxqGL4wK5KcRzvYS5DCnhFchjiOC6U' +
  'xX52bYFUxeqCFXQODcahDdB4O7loHLt9BLfTwvT33ke7zt3//OTKrZtOiXC4ZGGw9fe0cg41umhxr7pqrouQyBQG' +
  'e68efb97s+EMDgqCgrFHeoPQGkMYdPfLDKZ9DJky1ZYs8pCWsSwR7wr7mHIbFie1Y3B4I+PCXvnH1k4TyvF1+UQa' +
  '5HlXLIxPxH2yfJ5EX8swFcEdrQwWWRxywewhF9msIhjdWMNU5l1sTgtQ4xXreBhSmQtWR6/F4lVrIVIZKizBCU5w' +
  'gv8t/AHc4WxDzaUqDwAAAABJRU5ErkJggg=='

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
}

/** The file that is there from the start. */
export const chart = bytesOf(chartPng)

/** Avatars, emoji and the realm's icon are for everybody. Null: no such address. */
export function publicFile(path: string): HttpReply | null {
  return path.startsWith('/user_avatars/') ? bytesAnswer(200, 'image/png', bytesOf(icon)) : null
}
