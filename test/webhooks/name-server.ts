import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'

/** The zone of a name server: addresses by name. Queries for a `silent` family get no response. */
export type Zone = { readonly [name: string]: { readonly a?: Answer; readonly aaaa?: Answer } }
type Answer = readonly string[] | 'silent'

/** A name server on loopback. Names outside its zone do not exist. */
export const nameServer = async (zone: Zone) => {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question)
    asked.push(`${name} ${type}`)
    const known = zone[name]
    const answer = (type === 28 ? known?.aaaa : known?.a) ?? []
    if (answer === 'silent') return
    const records = answer.map(address => recordOf(address))
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(records.length, 6)
    head.fill(0, 8, 12)
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  return {
    at: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.dispose]: () => void socket.close(),
  }
}

const readQuestion = (message: Buffer) => {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** A record of the requested name with a TTL of a minute. */
const recordOf = (address: string): Buffer => {
  const bytes = isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.from(
        address
          .split(':')
          .map(group => group.padStart(4, '0'))
          .join(''),
        'hex',
      )
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length])
  return Buffer.concat([head, bytes])
}
