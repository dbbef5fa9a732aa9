import { connect } from 'node:net'

/** The bound: Node, and one request that nothing had to be loaded for. */
connect(Number(process.argv[2]), '127.0.0.1').write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
