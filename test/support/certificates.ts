import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Certificates {
  /** To be trusted; has signed all but `selfSigned`. */
  readonly authority: string
  readonly good: Certificate
  readonly wrongHost: Certificate
  readonly expired: Certificate
  readonly notYetValid: Certificate
  /** RSA with 1,024 bits. */
  readonly weakKey: Certificate
  readonly selfSigned: Certificate
}

export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    // Not installed: the tests that need certificates are skipped by name.
    return false
  }
}

const minimalAuthority = `
[ca]
default_ca = own
[own]
database = index.txt
serial = serial.txt
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
`

/** Certificates for 127.0.0.1 from an authority of our own, good and bad in the usual ways. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-certificates-'))
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const own = ['-x509', ...newKey, '-days', '30']
  const subject = ['-subj', '/CN=belfry-test']
  try {
    openssl('req', ...own, '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.pem')
    openssl('req', ...own, ...subject, '-keyout', 'self.key', '-out', 'self.pem')
    const signed = (name: string, alternatives: string, how = newKey): Certificate => {
      writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${alternatives}\n`)
      openssl('req', ...how, ...subject, '-keyout', `${name}.key`, '-out', `${name}.csr`)
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
      const files = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.pem`]
      openssl('x509', '-req', ...by, ...files, '-days', '30')
      return { key: read(`${name}.key`), cert: read(`${name}.pem`) }
    }
    // `openssl x509` has no dates before 3.4, and refuses negative days since.
    const validInYear = (year: number, name: string): Certificate => {
      openssl('req', ...newKey, ...subject, '-keyout', `${name}.key`, '-out', `${name}.csr`)
      writeFileSync(join(folder, 'ca.cnf'), minimalAuthority)
      writeFileSync(join(folder, 'index.txt'), '')
      writeFileSync(join(folder, `${name}.ext`), 'subjectAltName=IP:127.0.0.1\n')
      const by = ['-batch', '-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key']
      const files = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-out', `${name}.pem`]
      const span = ['-startdate', `${year}0101000000Z`, '-enddate', `${year + 1}0101000000Z`]
      openssl('ca', ...by, '-notext', ...files, ...span)
      return { key: read(`${name}.key`), cert: read(`${name}.pem`) }
    }
    const weak = ['-newkey', 'rsa:1024', '-nodes']
    return {
      authority: read('ca.pem'),
      good: signed('good', 'IP:127.0.0.1'),
      wrongHost: signed('wrong', 'DNS:elsewhere.example'),
      expired: validInYear(2001, 'expired'),
      notYetValid: validInYear(2098, 'later'),
      weakKey: signed('weak', 'IP:127.0.0.1', weak),
      selfSigned: { key: read('self.key'), cert: read('self.pem') },
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
