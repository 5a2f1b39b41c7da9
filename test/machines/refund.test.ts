import { describe, expect, test } from 'bun:test'
import { refunds } from './refund-cases.ts'
import { creation, differences, shortestPaths } from './table.ts'

describe('refund', () => {
  test('a new refund waits for a destination and records the head of its chain', () => {
    expect(creation(refunds)).toEqual({ to: 'requires_destination', effects: '!recordBeginning', changes: '' })
  })

  test('every event has the listed outcome in every situation, and is refused where none is listed', () => {
    expect(
      differences(
        refunds,
        `
      The customer names the address, the merchant or a signer signs.
      new                                         | name destination    | requires_signature | !watchDestination !signRefund                                                                 | destination=0xccc
      named, again                                | send 1              | processing         | !watchTransaction !watchDestination                                                           | txHash=0x111
      named, again                                | send 2              | processing         | !watchTransaction !watchDestination                                                           | txHash=0x222

      It can be canceled until its transaction is known.
      new, named, again                           | cancel              | canceled           | refund.canceled !watchDestination !clearSigningWait                                          |

      A higher fee gives the transaction another hash, and the verdict is on the one that is known.
      processing                                  | replace by 2        | stays              | !watchTransaction                                                                             | txHash=0x222
      replaced                                    | replace by 1        | stays              | !watchTransaction                                                                             | txHash=0x111
      processing                                  | replace 1 by 2      | stays              | !watchTransaction                                                                             | txHash=0x222
      replaced                                    | replace 2 by 1      | stays              | !watchTransaction                                                                             | txHash=0x111
      processing                                  | 1 verified          | processed          | !unwatchTransaction !closeUnclearNonces refund.processed !watchDestination !clearSigningWait | confirmations=3
      replaced                                    | 2 verified          | processed          | !unwatchTransaction !closeUnclearNonces refund.processed !watchDestination !clearSigningWait | confirmations=3
      processing                                  | 1 reverted          | failed             | !unwatchTransaction !watchGivenUpTransaction !closeUnclearNonces refund.failed !watchDestination        | confirmations=3 failureReason=reverted
      replaced                                    | 2 dropped           | failed             | !unwatchTransaction !watchGivenUpTransaction !closeUnclearNonces refund.failed !watchDestination        | failureReason=dropped

      Its own transaction may move money that is not the refund's, or more than that: a person looks at it.
      processing                                  | 1 verified with excess | processed          | !unwatchTransaction !closeUnclearNonces refund.processed !watchDestination !clearSigningWait | confirmations=3 attention=true strayTxHash=0x111
      processing                                  | 1 too little         | failed             | !unwatchTransaction !watchGivenUpTransaction !closeUnclearNonces refund.failed !watchDestination        | confirmations=3 failureReason=amount_mismatch attention=true strayTxHash=0x111
      paid too much                               | dismiss             | stays              |                                                                                               | attention=false
      paid too little                             | dismiss             | stays              |                                                                                               | attention=false

      Where nobody can say what became of it a person may, who has seen that the money came or that it did not.
      processing                                  | 1 unproven          | failed             | !unwatchTransaction !watchGivenUpTransaction !closeUnclearNonces refund.failed !watchDestination        | confirmations=3 failureReason=unproven attention=true strayTxHash=0x111
      paid too little                             | 1 verified, 1 verified with excess | processed          | refund.processed !watchDestination !clearSigningWait                                         | failureReason=null attention=false
      dropped yet mined                           | 2 verified          | processed          | refund.processed !watchDestination !clearSigningWait                                         | confirmations=3 failureReason=null attention=false
      accepted after all                          | transfer 2          | stays              |                                                                                               | attention=true strayTxHash=0x222

      What no node knows, and nobody is on to send, may be signed once more.
      processing                                  | 1 gone              | requires_signature | !unwatchTransaction !watchGivenUpTransaction !leaveToManualSigning !watchDestination !signRefund                 | txHash=null
      replaced                                    | 2 gone              | requires_signature | !unwatchTransaction !watchGivenUpTransaction !leaveToManualSigning !watchDestination !signRefund                 | txHash=null

      A failed one may be signed again, once somebody has looked where money has moved.
      failed                                      | retry               | requires_signature | !leaveToManualSigning !watchDestination !signRefund                                                    | txHash=null confirmations=0 failureReason=null
      dismissed                                   | retry               | requires_signature | !leaveToManualSigning !watchDestination !signRefund                                                    | txHash=null confirmations=0 failureReason=null
      dropped                                     | retry               | requires_signature | !leaveToManualSigning !watchDestination !signRefund                                                    | txHash=null failureReason=null

      A transfer that nobody waits for needs a person.
      processed, failed, canceled, canceled later | transfer 2          | stays              |                                                                                               | attention=true strayTxHash=0x222
      dropped                                     | transfer 1          | stays              |                                                                                               | attention=true strayTxHash=0x111
      canceled, canceled later                    | transfer 1          | stays              |                                                                                               | attention=true strayTxHash=0x111
      paid twice, paid after all                  | transfer 2          | stays              |                                                                                               |
      paid too much, paid too little              | transfer 2          | stays              |                                                                                               | strayTxHash=0x222
      dismissed                                   | transfer 2          | stays              |                                                                                               | attention=true strayTxHash=0x222
      paid although canceled                      | transfer 1          | stays              |                                                                                               |
      paid although canceled                      | transfer 2          | stays              |                                                                                               | strayTxHash=0x222
      paid twice, paid after all                  | dismiss             | stays              |                                                                                               | attention=false

      So does its own that was given up, and is mined after all.
      dropped                                     | transfer 2          | stays              |                                                                                               | attention=true strayTxHash=0x222
      dropped yet mined                           | transfer 2          | stays              |                                                                                               |
      dropped yet mined                           | transfer 1          | stays              |                                                                                               | strayTxHash=0x111
      dropped yet mined                           | dismiss             | stays              |                                                                                               | attention=false
      paid although canceled                      | dismiss             | stays              |                                                                                               | attention=false
      `,
      ),
    ).toEqual([])
  })

  test('every state is reached', () => {
    expect(shortestPaths(refunds)).toEqual({
      requires_destination: '',
      requires_signature: 'name destination',
      processing: 'name destination, send 1',
      processed: 'name destination, send 1, 1 verified',
      failed: 'name destination, send 1, 1 reverted',
      canceled: 'cancel',
    })
  })
})
