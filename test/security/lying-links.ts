/** Link texts that lie about their destination, made from sites and disguises, and honest ones. */

/** Sites that a text may name; none of the links leads there. */
const sites = [
  ...[
    'bank.com',
    'BANK.COM',
    'login.bank.com',
    'bank.co.uk',
    'mbank.pl',
    'sparkasse.de',
    'bank.io',
  ],
  ...['bücher.example', 'пример.рф', '例え.jp', 'xn--bcher-kva.example', 'bank.example', '3.com'],
]
const computers = [
  ...['127.0.0.1', '8.8.8.8', '1.1.1.1', '169.254.169.254', '10.0.0.1', '192.168.1.1'],
  ...[
    '2130706433',
    '134744072',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...['127.1', '192.168.257', '::1', '[::1]', '[::ffff:127.0.0.1]', '2001:db8::1'],
]

const spread = (text: string, between: string) => [...text].join(between)
const shifted = (text: string, from: number) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint(from + letter.charCodeAt(0) - 97))

/** What may be put around a site or between its letters without hiding that it is that site. */
const clothes: Readonly<Record<string, (site: string) => string>> = {
  nothing: (site) => site,
  'a dot behind': (site) => `${site}.`,
  'an ellipsis': (site) => `${site}…`,
  parentheses: (site) => `(${site})`,
  brackets: (site) => `[${site}]`,
  'angle brackets': (site) => `<${site}>`,
  quotes: (site) => `“${site}”`,
  'an apostrophe': (site) => `'${site}'`,
  'a comma': (site) => `${site},`,
  'an exclamation mark': (site) => `${site}!!!`,
  stars: (site) => `**${site}**`,
  underlines: (site) => `_${site}_`,
  blanks: (site) => `\u00a0 ${site}\u3000`,
  'a lock': (site) => `🔒 ${site}`,
  'a lock without a blank': (site) => `🔒${site}✅`,
  'an arrow': (site) => `→${site}`,
  'words before': (site) => `Sign in at ${site}`,
  'words behind': (site) => `${site} – your account`,
  'a zero width space before': (site) => `\u200b${site}`,
  'a byte order mark': (site) => `\ufeff${site}`,
  'a soft hyphen': (site) => `${site.slice(0, 2)}\u00ad${site.slice(2)}`,
  'invisible signs everywhere': (site) => spread(site, '\u2060'),
  'fillers everywhere': (site) => spread(site, '\u3164'),
  'variation selectors': (site) => spread(site, '\ufe0f'),
  'an isolate': (site) => `\u2068${site}\u2069`,
  'an override that keeps it': (site) => `\u202d${site}\u202c`,
  'an override that turns it': (site) => `\u202e${[...site].reverse().join('')}`,
  'a scheme': (site) => `https://${site}`,
  'capitals of a scheme': (site) => `HTTPS://${site}/Login`,
  'a scheme defanged': (site) => `hxxps://${site}/`,
  'one slash': (site) => `https:/${site}`,
  'no slash': (site) => `https:${site}`,
  backslashes: (site) => `https:\\\\${site}\\`,
  'two slashes only': (site) => `//${site}/`,
  'a path': (site) => `${site}/login?next=1#x`,
  'a fraction slash': (site) => `${site}⁄login`,
  'a port': (site) => `${site}:443`,
  'a user': (site) => `https://user:pass@${site}/`,
  'the site as the user': (site) => `https://${site}@evil.example/`,
  'another site behind': (site) => `${site} evil.example`,
  'its own note': (site) => `${site} (leads to ${site})`,
}
/** For names only: letters of other alphabets and forms, and characters that look like dots. */
const disguises: Readonly<Record<string, (site: string) => string>> = {
  'www.': (site) => `www.${site}`,
  'an e-mail address': (site) => `ana@${site}`,
  'an ideographic full stop': (site) => site.replaceAll('.', '。'),
  'a half-width one': (site) => site.replaceAll('.', '｡'),
  'a full-width dot': (site) => site.replaceAll('.', '．'),
  'a one dot leader': (site) => site.replaceAll('.', '․'),
  'a middle dot': (site) => site.replaceAll('.', '·'),
  'a bullet': (site) => site.replaceAll('.', '•'),
  'two dots': (site) => site.replaceAll('.', '..'),
  'a dot in brackets': (site) => site.replaceAll('.', '[.]'),
  'a dot in words': (site) => site.replaceAll('.', '(dot)'),
  'a dot in percent': (site) => site.replaceAll('.', '%2E'),
  'blanks between all': (site) => spread(site, ' '),
  'full-width letters': (site) => shifted(site, 0xff41),
  'bold letters': (site) => shifted(site, 0x1_d4_1a),
  'script letters': (site) => shifted(site, 0x1_d4_ea),
  'monospaced letters': (site) => shifted(site, 0x1_d6_8a),
  'letters in circles': (site) => shifted(site, 0x24d0),
  'letters in dark circles': (site) => shifted(site, 0x1_f1_50),
  'letters in dark squares': (site) => shifted(site, 0x1_f1_70),
  'letters of flags': (site) => shifted(site, 0x1_f1_e6),
  'Cyrillic letters': (site) =>
    site.replace(/[aceopx]/g, (letter) => 'асеорх'['aceopx'.indexOf(letter)] ?? letter),
  'Greek letters': (site) => site.replaceAll('o', 'ο').replaceAll('a', 'α'),
  'struck-through letters': (site) => spread(`${site} `, '\u0336').trim(),
  'letters in keys': (site) => spread(`${site} `, '\u20e3').trim(),
  'accents and dots below': (site) => site.replaceAll('o', 'ó').replaceAll('b', 'b\u0323'),
  'Coptic letters': (site) =>
    site.replace(/[cmop]/g, (letter) => 'ⲥⲙⲟⲣ'['cmop'.indexOf(letter)] ?? letter),
  'Lisu letters': (site) =>
    site.toUpperCase().replace(/[COM]/g, (letter) => 'ꓚꓳꓟ'['COM'.indexOf(letter)] ?? letter),
  'Cherokee letters': (site) =>
    site.toUpperCase().replace(/[COM]/g, (letter) => 'ᏟᎾᎷ'['COM'.indexOf(letter)] ?? letter),
  'a lunate sigma and a cent': (site) => site.replace('c', 'ϲ').replaceAll('c', '¢'),
  'an Armenian full stop': (site) => site.replaceAll('.', '։'),
  'a Syriac full stop': (site) => site.replaceAll('.', '܁'),
  'a Lisu letter as a dot': (site) => site.replaceAll('.', 'ꓸ'),
  'a Hebrew colon': (site) => site.replaceAll('.', '׃'),
  'a ratio': (site) => site.replaceAll('.', '∶'),
  'a space behind the dot': (site) => site.replaceAll('.', '. '),
  'spaces around the dot': (site) => site.replaceAll('.', ' . '),
  'a dot as a word': (site) => site.replaceAll('.', ' dot '),
  'small capitals': (site) =>
    site.replace(/[cotm]/g, (letter) => 'ᴄᴏᴛᴍ'['cotm'.indexOf(letter)] ?? letter),
}

const apart = [
  ...['bank .com', 'bank . com', 'Sign in at bank. com now', 'Sign in at bank dot com now'],
  ...['Bank. Com', 'bank.c0m', 'bank.0rg', 'bank.1nfo', 'bank.corn', 'b a n k dot c o m'],
  ...['bank⸳com', 'bank⠄com', 'bank【.】com', 'bank -dot- com', 'Visit bank dot co dot uk today'],
]
/** Names in the networks of homes and companies, hidden services, and domains in other scripts. */
const elsewhere = [
  ...['router.lan', 'nas.local', 'grafana.internal', 'intranet/', 'localhost:8080', 'localhost'],
  ...['localhost/admin', 'intranet/login', 'vault.corp', 'gitlab.intranet', 'pve.lan:8006'],
  ...['grafana.internal/d/1', 'nas.ⅼocal', 'nаs.lосаl', 'router.lan.', 'a.b.internal', 'stats.i2p'],
  ...['see nas.local now', '(nas.local)', 'jenkins:8080/job/1', 'router.home.arpa'],
  ...['expyuzz4wqqyqhjn.onion/login', 'expyuzz4wqqyqhjn.onion', 'почта.рус', '例え.みんな'],
  ...['банк.москва', 'bank.ไทย', 'बैंक.भारत', 'बैंक.संगठन', 'موقع.شبكة', 'مصرف.السعودية'],
  ...['bank.ελ', 'банк.бг', '银行.中国', 'bank.இலங்கை', 'bank.ලංකා', 'bank.ഭാരതം', 'bank.հայ'],
  ...['בנק.ישראל', 'bank.קום', 'bank.சிங்கப்பூர்', '은행.한국', 'банк.укр', 'ბანკი.გე'],
]

export const lyingTexts: readonly string[] = [
  ...[...sites, ...computers].flatMap((site) => Object.values(clothes).map((dress) => dress(site))),
  ...sites
    .filter((site) => /^[a-z.]+$/.test(site))
    .flatMap((site) => Object.values(disguises).map((dress) => dress(site))),
  ...apart,
  ...elsewhere,
]

/** The same texts with a link to the site they name, which must not be marked. */
export const trueTexts: readonly (readonly [text: string, address: string])[] = sites
  .filter((site) => !/^xn/.test(site))
  .flatMap((site) =>
    Object.entries(clothes)
      .filter(
        ([name]) => !/^(?:the site as the user|another site|an override that turns)/.test(name),
      )
      .map(([, dress]) => [dress(site), `https://www.${site.toLowerCase()}/login`] as const),
  )

const git = 'https://git.example.org/infra/tools'
const files = [
  ...[
    'README.md',
    'CHANGELOG.md',
    'docs/security.md',
    'node.js',
    'build.sh',
    'deploy.sh',
    'main.py',
  ],
  ...['scripts/backup.py', 'lib.rs', 'src/main.rs', 'index.html', 'package.json', 'tsconfig.json'],
  ...['docker-compose.yml', 'values.prod.yaml', 'Dockerfile.dev', '.env', '.env.dev', 'Makefile'],
  ...['Makefile.am', 'configure.ac', 'nginx.conf', 'my.cnf', 'app.ts', 'app.module.ts', 'main.go'],
  ...['window.tsx', 'styles.css', 'jquery.min.js', 'archive.tar.gz', 'data.zip', 'dump.sql.gz'],
  ...['video.mov', 'photo.png', 'report.pdf', 'notes.txt', 'schema.graphql', 'libfoo.so'],
  ...['libfoo.so.1', 'a.out', 'core.c', 'core.h', 'vector.cc', 'Main.java', 'pom.xml'],
  ...['build.gradle', 'application.properties', 'graph.dot', 'go.mod', 'Cargo.lock', 'main.tf'],
  ...[
    'job.service',
    'backup.timer',
    '80-net.rules',
    'README.md:12',
    'main.py:42:7',
    'build.sh#L10',
  ],
  ...['src/renderer/chat/message-link.ts', 'test/e2e/crash.app.test.ts', 'C:\\build\\out.log'],
  ...['C:/build/out.log', '/var/log/syslog.1', '/etc/hosts', '~/.ssh/config', 'core.md@v2'],
  ...['script.test.sh', 'my_file.com', 'test_app.py', 'en.json', 'Belfry.AppImage', 'foo.bar'],
]
const code = [
  ...['vue.js', 'next.js', 'Socket.IO', 'ASP.NET', 'java.io', 'System.IO', 'user.id', 'event.name'],
  ...['app.run', 'Array.map', 'console.log', 'process.env.PATH', 'Math.random()', 'db.host'],
  ...['java.lang.String', 'org.apache.http.client', 'com.example.app', 'io.netty.handler.codec'],
  ...['std::vector', 'Foo::Bar', '#[derive(Debug)]', 'useState()', 'git rebase', 'npm run build'],
  ...['s3://backups/2026', 'kubectl get pods', 'svc.cluster.local', 'web-01', 'web-01.prod'],
  ...['python3.12', 'node 24.21.0', 'v1.2.3', '1.2.3', '2.0', '24.04', '10.15.7', '120.0.6099.109'],
  ...['v0.1.0-rc.1', '^5.1.0', '>=20', '3.x', 'release/2026.11', '2026-11-23', '23.11.2026'],
  ...['11/23/2026', '20261123', '10:30', '10:30:45', '2026-11-23T10:30:00.000Z', '5.5 MB', '99.9%'],
  ...['aa:bb:cc:dd:ee:ff', 'deadbeef', '4e2c26a', 'c628eee1', '8007736f5d', 'sha256:0a1b2c'],
]
const tickets = [
  ...['OPS-123', 'OPS-4711', '#1234', '#98765', 'PR 12', 'PR #345', '!77', 'issue 18', 'GH-9'],
  ...['CVE-2024-28246', 'RFC 9110', 'INC0012345', 'TASK-1.2', 'belfry#12', 'infra/tools#345'],
  ...['infra/tools!12', 'build 5512', 'run 1234567', 'JIRA-1', 'BUG-100', 'D1234', 'T99', '12345'],
  ...[
    '1234567',
    'v2 of the API',
    'Sprint 42',
    'MR !12',
    'commit 4e2c26a',
    'job #884213',
    'alert 17',
    'Q3/2026',
    'step 3.1',
    '§ 4.2',
    'KB5031356',
    'PEP 8',
  ],
]
const prose = [
  ...[
    'the runbook',
    'click here',
    'this thread',
    'docs',
    'dashboard',
    'here.',
    'see above…',
    'e.g.',
  ],
  ...[
    'i.e. this one',
    'Done. It works',
    'Fixed. Thanks!',
    'Why? Because.',
    'a.m.',
    'No. 5',
    'U.S.',
  ],
  ...['db-primary', 'ops > db-primary', 'nightly backup', 'Ana Kovač', '@ana', '🔥 incident'],
  ...[
    'postmortem: disk full',
    'How to restore a backup',
    'What changed in 2.4?',
    'C#',
    '.NET 9',
    'C++',
  ],
]

/** What resembles the disguises above and is none. */
const nearly = [
  ...['.env.local', '/etc/rc.local', 'jail.local', 'settings.local.json', 'foo.internal.ts'],
  ...['redis:7', 'postgres:16.4', 'node:24', 'main.py:80', 'nginx:latest', 'TCP:443', 'port: 8080'],
  ...['db-primary:5432', 'job:3000', 'Ticket:5000', 'sha:abcdef', 'ns:service', 'HTTP:80'],
  ...[
    'src/',
    'docs/',
    'the intranet',
    'our internal wiki',
    'foo.private',
    'Path.home',
    'self.home',
  ],
  ...['com.sun.net.httpserver.internal', 'localhostess', 'Sprint 42. Done', 'Done. It', 'Why. So'],
  ...['Fixed. Thanks', 'Restarted. Now', 'See. Here', 'Port to .NET 9', 'the dot net upgrade'],
  ...[
    'the .com boom',
    'dot product',
    'a dot file',
    'connect the dots',
    'took 5.0m',
    '1.5s',
    'v1.0m',
  ],
  ...[
    'señor',
    'résumé.pdf',
    'Größe: 5.0m',
    'Готово. Всё',
    '完成。谢谢',
    '終わり。次へ',
    'दुःख',
    'คู่มือ',
  ],
  ...[
    'API・設計',
    '設計・運用',
    'Home • Docs',
    'Docs · Home',
    'α.β',
    'η.τ',
    '٢٠٢٦',
    '½ done',
    'µs',
  ],
  ...[
    'np.array',
    'torch.nn',
    'ctx.state',
    'actions/checkout@v4',
    'disk full. again',
    '10:30–11:00',
  ],
]

/** Honest links, as engineers write them: none names a site. */
export const honestLinks: readonly (readonly [text: string, address: string])[] = [
  ...files.map((text) => [text, `${git}/blob/main/${encodeURI(text)}`] as const),
  ...[...code, ...tickets, ...prose, ...nearly].map((text) => [text, `${git}/issues/18`] as const),
  ...['on-call: Ana', 'a::b', 'Bump socket.io from 4 to 5', 'php.ini', 'test.py::test_foo'].map(
    (text) => [text, git] as const,
  ),
  ['1234567890', 'https://ci.example.org/actions/runs/1234567890'],
  ['https://git.example.org/infra/tools', git],
  ['git.example.org/infra/tools/README.md', `${git}/README.md`],
  ['www.example.org', 'https://example.org/'],
  ['example.org', 'https://www.example.org/'],
  ['https://web.example.org/?u=https://bank.com', 'https://web.example.org/?u=https://bank.com'],
  ['ana@example.org', 'mailto:ana@example.org'],
  ['localhost:8080', 'http://localhost:8080/'],
  ['nas.local', 'http://nas.local/'],
  ['intranet/x', 'http://intranet/x'],
  ['बैंक.भारत', 'https://बैंक.भारत/'],
  ['straße.de', 'https://straße.de/'],
  ['øl.dk', 'https://øl.dk/'],
  ['b̶a̶n̶k̶.c̶om', 'https://bank.com/'],
]
