import { connect } from 'node:net'

/** The bound: bare Node and one request, for which nothing has to be loaded. */
connect(Number(process.argv[2]), '127.0.0.1').write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
