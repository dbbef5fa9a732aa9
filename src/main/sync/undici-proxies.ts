/// <reference path="./undici-parts.d.ts" />
import connect from 'undici/lib/api/api-connect.js'
import dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import pool from 'undici/lib/dispatcher/pool.js'
import proxyAgent from 'undici/lib/dispatcher/proxy-agent.js'
import type { UndiciProxies } from './undici.ts'

// As undici's entry does it: by this its own dispatchers make tunnels.
dispatcher.prototype.connect = connect

export const undiciProxies: UndiciProxies = { Pool: pool, ProxyAgent: proxyAgent }
