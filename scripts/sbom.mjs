/**
 * Writes what Belfry ships as a CycloneDX 1.6 list: `npm run sbom -- FILE`, or to standard output.
 * `npm sbom --omit=dev` would leave out what is bundled.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLock, shippedPackages } from './licences.mjs'
import { projectRoot } from './programs.mjs'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const lock = readLock()
const electron = lock.packages['node_modules/electron']?.version ?? ''
const text = `${JSON.stringify(bill(), null, 2)}\n`
const [file] = process.argv.slice(2)
if (file === undefined) process.stdout.write(text)
else writeFileSync(file, text)

function bill() {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component({ name: 'belfry', version, licence: 'MIT' }, 'application') },
    components: [
      component({ name: 'electron', version: electron, licence: 'MIT' }, 'framework'),
      ...shippedPackages(lock).map((one) => component(one, 'library')),
    ],
  }
}

/**
 * @param {{ readonly name: string, readonly version: string, readonly licence: string }} shipped
 * @param {'application' | 'framework' | 'library'} type
 */
function component({ name, version, licence }, type) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type, 'bom-ref': purl, name, version, purl, licenses: [{ expression: licence }] }
}
