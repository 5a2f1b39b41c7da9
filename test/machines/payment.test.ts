import { describe, expect, test } from 'bun:test'
import { payments, refund } from './payment-cases.ts'
import { arrive, creation, differences, shortestPaths, step, T0 } from './table.ts'

describe('payment', () => {
  test('opening a checkout makes it pending and publishes its event', () => {
    expect(creation(payments)).toEqual({
      to: 'pending',
      effects: '!joinCustomer !joinInvoice payment.created',
      changes: '',
    })
  })

  test('every event has the listed outcome in every situation, and is refused where none is listed', () => {
    expect(
      differences(
        payments,
        `
      An asset is picked, and picked anew, while nothing is seen and the window is open.
      new                                | pick                    | stays      |                    | chainId=31337 asset=TUSD tokenAddress=0xaaa decimals=2 address=0xbbb amountExpected=1000 confirmationsRequired=3 pegged=true
      new                                | pick ether              | stays      |                    | chainId=31337 asset=ETH decimals=2 address=0xbbb amountExpected=1000 confirmationsRequired=3 pegged=false quoteRate=2500.00 quoteSource=chainlink quoteExpiresAt=+10m
      picked                             | pick                    | stays      |                    |
      picked                             | pick ether              | stays      |                    | asset=ETH tokenAddress=null pegged=false quoteRate=2500.00 quoteSource=chainlink quoteExpiresAt=+10m
      picked ether                       | pick                    | stays      |                    | asset=TUSD tokenAddress=0xaaa pegged=true quoteRate=null quoteSource=null quoteExpiresAt=null
      picked ether                       | pick ether              | stays      |                    |

      Enough is seen, mined within the window, of the picked asset, in a scan that is not old.
      picked, stray                      | see 1000                | processing | payment.processing | scan=5 amountReceived=1000 txHash=0x777 blockNumber=7 announced=["processing 0x777"]
      picked, stray                      | see 1000 at the end     | processing | payment.processing | scan=5 amountReceived=1000 txHash=0x777 blockNumber=7 announced=["processing 0x777"]
      picked, stray                      | see 1000 in older scan  | processing | payment.processing | scan=4 amountReceived=1000 txHash=0x777 blockNumber=7 announced=["processing 0x777"]
      picked                             | see 1200                | processing | payment.processing | scan=5 amountReceived=1200 txHash=0x777 blockNumber=7 announced=["processing 0x777"] exception=overpaid
      stray                              | see 1200                | processing | payment.processing | scan=5 amountReceived=1200 txHash=0x777 blockNumber=7 announced=["processing 0x777"]
      picked ether                       | see 1000 in ether       | processing | payment.processing | scan=5 amountReceived=1000 txHash=0x777 blockNumber=7 announced=["processing 0x777"]
      little, little final               | see 1000                | processing | payment.processing | amountReceived=1000 announced=["underpaid 0x777","processing 0x777"] exception=null
      little, little final               | see 1000 at the end     | processing | payment.processing | amountReceived=1000 announced=["underpaid 0x777","processing 0x777"] exception=null
      little, little final               | see 1200                | processing | payment.processing | amountReceived=1200 announced=["underpaid 0x777","processing 0x777"] exception=overpaid

      Less than is due is seen, more of it, or the same elsewhere.
      picked                             | see only 400            | stays      | payment.underpaid  | scan=5 amountReceived=400 txHash=0x777 blockNumber=7 announced=["underpaid 0x777"] exception=underpaid
      picked                             | see only 600            | stays      | payment.underpaid  | scan=5 amountReceived=600 txHash=0x777 blockNumber=7 announced=["underpaid 0x777"] exception=underpaid
      picked                             | see only 400 in block 8 | stays      | payment.underpaid  | scan=5 amountReceived=400 txHash=0x777 blockNumber=8 announced=["underpaid 0x777"] exception=underpaid
      stray                              | see only 400            | stays      | payment.underpaid  | scan=5 amountReceived=400 txHash=0x777 blockNumber=7 announced=["underpaid 0x777"]
      stray                              | see only 600            | stays      | payment.underpaid  | scan=5 amountReceived=600 txHash=0x777 blockNumber=7 announced=["underpaid 0x777"]
      picked                             | see 600 by another transaction | stays | payment.underpaid | scan=5 amountReceived=600 txHash=0x666 blockNumber=7 announced=["underpaid 0x666"] exception=underpaid
      stray                              | see 600 by another transaction | stays | payment.underpaid | scan=5 amountReceived=600 txHash=0x666 blockNumber=7 announced=["underpaid 0x666"]
      little, little final               | see 600 by another transaction | stays | payment.underpaid | amountReceived=600 txHash=0x666 announced=["underpaid 0x777","underpaid 0x666"]
      stray                              | see only 400 in block 8 | stays      | payment.underpaid  | scan=5 amountReceived=400 txHash=0x777 blockNumber=8 announced=["underpaid 0x777"]
      little, little final               | see only 600            | stays      |                    | amountReceived=600
      little, little final               | now 400 in block 8      | stays      |                    | blockNumber=8
      little                             | 400 final               | stays      |                    | amountFinal=400 receivedMinor=400

      A reorg removes a block: at least ten more minutes, and what was final in it is not.
      little                             | see 300 left            | stays      |                    | amountReceived=300
      little                             | see nothing left        | stays      |                    | expiresAt=+35m amountReceived=0 txHash=null blockNumber=null windowLengthened=true exception=null
      little final                       | see 300 left            | stays      |                    | amountReceived=300 amountFinal=300 receivedMinor=300
      little final                       | see nothing left        | stays      |                    | expiresAt=+35m amountReceived=0 amountFinal=0 receivedMinor=0 txHash=null blockNumber=null windowLengthened=true exception=null
      processing                         | lose all                | pending    |                    | amountReceived=0 txHash=null blockNumber=null
      processing                         | lose all in minute 25   | pending    |                    | expiresAt=+35m amountReceived=0 txHash=null blockNumber=null windowLengthened=true
      part final                         | lose all                | pending    |                    | amountReceived=0 amountFinal=0 receivedMinor=0 txHash=null blockNumber=null
      part final                         | lose all in minute 25   | pending    |                    | expiresAt=+35m amountReceived=0 amountFinal=0 receivedMinor=0 txHash=null blockNumber=null windowLengthened=true
      processing, part final             | lose all but 400        | pending    |                    | amountReceived=400 exception=underpaid

      The submitted transaction failed, the window is over, the merchant cancels: nothing is seen, or all of it is final.
      new, picked, picked ether, stray   | reverted                | failed     | payment.failed     | failureReason=reverted
      new, picked, picked ether, stray   | over                    | expired    | payment.expired    |
      little final                       | over                    | failed     | payment.failed     | failureReason=underpaid attention=true
      new, picked, picked ether, stray   | cancel                  | canceled   | payment.canceled   |
      new, picked, picked ether          | end window              | stays      |                    | expiresAt=+3m
      little, little final, stray        | end window              | stays      |                    | expiresAt=+3m

      Enough is final.
      processing, part final             | now 1000 in block 8     | stays      |                    | blockNumber=8
      processing, part final             | now 1200                | stays      |                    | amountReceived=1200 exception=overpaid
      processing                         | 400 final               | stays      |                    | amountFinal=400 receivedMinor=400
      processing, part final             | 600 final               | stays      |                    | amountFinal=600 receivedMinor=600
      processing, part final             | all 1000 final          | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000

      Success is never left. More money may come.
      success, refunding, refunded       | now 1000 in block 8     | stays      |                    | blockNumber=8
      success, refunding, refunded       | now 1200                | stays      |                    | amountReceived=1200
      paid twice                         | now 1000                | stays      |                    | amountReceived=1000
      paid twice                         | now 1000 in block 8     | stays      |                    | amountReceived=1000 blockNumber=8
      accepted early                     | now 400 in block 8      | stays      |                    | amountReceived=400 blockNumber=8
      accepted early                     | now 1000                | stays      |                    | amountReceived=1000
      accepted early                     | now 1000 in block 8     | stays      |                    | amountReceived=1000 blockNumber=8
      accepted early                     | now 1200                | stays      |                    | amountReceived=1200
      accepted early                     | 600 final               | stays      |                    | amountFinal=600 receivedMinor=600
      paid twice                         | 1200 final              | stays      |                    | amountFinal=1200 receivedMinor=1200 exception=overpaid attention=true

      Money comes when the payment has ended, and is not final yet.
      expired, failed, canceled          | now 1000                | stays      |                    | scan=5 amountReceived=1000 txHash=0x777 blockNumber=7
      expired, failed, canceled          | now 1000 in block 8     | stays      |                    | scan=5 amountReceived=1000 txHash=0x777 blockNumber=8
      expired, failed, canceled          | now 400 in block 8      | stays      |                    | scan=5 amountReceived=400 txHash=0x777 blockNumber=8
      expired, failed, canceled          | now 600                 | stays      |                    | scan=5 amountReceived=600 txHash=0x777 blockNumber=7
      expired, failed, canceled          | now 1200                | stays      |                    | scan=5 amountReceived=1200 txHash=0x777 blockNumber=7
      underpaid                          | now 400 in block 8      | stays      |                    | blockNumber=8
      underpaid                          | now 600                 | stays      |                    | amountReceived=600
      underpaid                          | now 1000                | stays      |                    | amountReceived=1000
      underpaid                          | now 1000 in block 8     | stays      |                    | amountReceived=1000 blockNumber=8
      underpaid                          | now 1200                | stays      |                    | amountReceived=1200
      paid late, failed paid             | now 1000 in block 8     | stays      |                    | blockNumber=8
      canceled paid, underpaid paid      | now 1000 in block 8     | stays      |                    | blockNumber=8
      paid late, failed paid             | now 400 in block 8      | stays      |                    | amountReceived=400 blockNumber=8
      canceled paid, underpaid paid      | now 400 in block 8      | stays      |                    | amountReceived=400 blockNumber=8
      paid late, failed paid             | now 600                 | stays      |                    | amountReceived=600
      canceled paid, underpaid paid      | now 600                 | stays      |                    | amountReceived=600
      paid late, failed paid             | now 1200                | stays      |                    | amountReceived=1200
      canceled paid, underpaid paid      | now 1200                | stays      |                    | amountReceived=1200
      expired excess, failed excess      | now 1000                | stays      |                    | amountReceived=1000
      canceled excess, underpaid excess  | now 1000                | stays      |                    | amountReceived=1000
      expired excess, failed excess      | now 1000 in block 8     | stays      |                    | amountReceived=1000 blockNumber=8
      canceled excess, underpaid excess  | now 1000 in block 8     | stays      |                    | amountReceived=1000 blockNumber=8
      expired excess, failed excess      | now 400 in block 8      | stays      |                    | amountReceived=400 blockNumber=8
      canceled excess, underpaid excess  | now 400 in block 8      | stays      |                    | amountReceived=400 blockNumber=8
      expired excess, failed excess      | now 600                 | stays      |                    | amountReceived=600
      canceled excess, underpaid excess  | now 600                 | stays      |                    | amountReceived=600
      late, failed late, canceled late   | now 600                 | stays      |                    | amountReceived=600 blockNumber=7
      late, failed late, canceled late   | now 1000                | stays      |                    | amountReceived=1000 blockNumber=7
      late, failed late, canceled late   | now 1000 in block 8     | stays      |                    | amountReceived=1000
      late, failed late, canceled late   | now 1200                | stays      |                    | amountReceived=1200 blockNumber=7
      refunding late, refunding failed   | now 600                 | stays      |                    | amountReceived=600 blockNumber=7
      refunding canceled                 | now 600                 | stays      |                    | amountReceived=600 blockNumber=7
      refunding late, refunding failed   | now 1000                | stays      |                    | amountReceived=1000 blockNumber=7
      refunding canceled                 | now 1000                | stays      |                    | amountReceived=1000 blockNumber=7
      refunding late, refunding failed   | now 1000 in block 8     | stays      |                    | amountReceived=1000
      refunding canceled                 | now 1000 in block 8     | stays      |                    | amountReceived=1000
      refunding late, refunding failed   | now 1200                | stays      |                    | amountReceived=1200 blockNumber=7
      refunding canceled                 | now 1200                | stays      |                    | amountReceived=1200 blockNumber=7
      underpaid late                     | now 1000                | stays      |                    | amountReceived=1000
      underpaid late                     | now 1000 in block 8     | stays      |                    | amountReceived=1000 blockNumber=8
      underpaid late                     | now 1200                | stays      |                    | amountReceived=1200

      It becomes final: stablecoins in full are accepted, however the payment has ended, and an excess is reported.
      paid late, canceled paid           | accept late 1000        | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000
      failed paid                        | accept late 1000        | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000 failureReason=null
      underpaid paid                     | accept late 1000        | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000 exception=null failureReason=null attention=false
      expired excess, canceled excess    | accept late 1000        | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000
      failed excess                      | accept late 1000        | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000 failureReason=null
      underpaid excess                   | accept late 1000        | success    | payment.succeeded  | amountFinal=1000 receivedMinor=1000 exception=null failureReason=null attention=false
      expired excess, canceled excess    | accept late 1200        | success    | payment.succeeded  | amountFinal=1200 receivedMinor=1200 exception=overpaid attention=true
      failed excess                      | accept late 1200        | success    | payment.succeeded  | amountFinal=1200 receivedMinor=1200 exception=overpaid failureReason=null attention=true
      underpaid excess                   | accept late 1200        | success    | payment.succeeded  | amountFinal=1200 receivedMinor=1200 exception=overpaid failureReason=null

      Less of it, or another coin, changes nothing but that a person must decide.
      paid late, failed paid             | late 400                | stays      | payment.late       | amountFinal=400 receivedMinor=400 exception=late attention=true
      canceled paid                      | late 400                | stays      | payment.late       | amountFinal=400 receivedMinor=400 exception=late attention=true
      paid late, failed paid             | late 600                | stays      | payment.late       | amountFinal=600 receivedMinor=600 exception=late attention=true
      canceled paid                      | late 600                | stays      | payment.late       | amountFinal=600 receivedMinor=600 exception=late attention=true
      underpaid paid, underpaid excess   | late 600                | stays      | payment.late       | amountFinal=600 receivedMinor=600 exception=late
      expired excess, failed excess      | late 400                | stays      | payment.late       | amountFinal=400 receivedMinor=400 exception=late attention=true
      canceled excess                    | late 400                | stays      | payment.late       | amountFinal=400 receivedMinor=400 exception=late attention=true
      expired excess, failed excess      | late 600                | stays      | payment.late       | amountFinal=600 receivedMinor=600 exception=late attention=true
      canceled excess                    | late 600                | stays      | payment.late       | amountFinal=600 receivedMinor=600 exception=late attention=true
      paid ether late                    | late 1000 in ether      | stays      | payment.late       | amountFinal=1000 receivedMinor=1000 exception=late attention=true
      failed ether, canceled ether       | late 1000 in ether      | stays      | payment.late       | amountFinal=1000 receivedMinor=1000 exception=late attention=true

      Another asset, or another chain: the payment stays where it is, and waits for a person.
      new, picked, picked ether          | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      little, little final               | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      processing, part final, success    | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      refunding, refunded, paid twice    | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      accepted early                     | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      expired, failed, canceled          | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      paid late, paid ether late         | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      failed paid, canceled paid         | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      expired excess, failed excess      | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      canceled excess                    | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      failed ether, canceled ether       | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset attention=true
      stray, late, underpaid             | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset
      underpaid paid, underpaid excess   | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset
      failed late, canceled late         | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset
      underpaid late                     | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset
      refunding late, refunding failed   | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset
      refunding canceled                 | wrong asset             | stays      |                    | stray=wrong_asset exception=wrong_asset
      new, picked, picked ether          | final on a wrong chain  | stays      |                    | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      little, little final               | final on a wrong chain  | stays      |                    | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      processing, part final, success    | final on a wrong chain  | stays      |                    | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      refunding, refunded, paid twice    | final on a wrong chain  | stays      |                    | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      accepted early                     | final on a wrong chain  | stays      |                    | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      expired, failed, canceled          | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      paid late, paid ether late         | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      failed paid, canceled paid         | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      expired excess, failed excess      | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      canceled excess                    | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      failed ether, canceled ether       | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain attention=true
      late, underpaid                    | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain
      underpaid paid, underpaid excess   | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain
      failed late, canceled late         | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain
      underpaid late                     | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain
      refunding late, refunding failed   | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain
      refunding canceled                 | final on a wrong chain  | stays      | payment.late       | stray=wrong_chain finalStrays=1 exception=wrong_chain
      stray                              | final on a wrong chain  | stays      |                    |

      Something was collected that had not been seen before: a person must look.
      new, picked, picked ether          | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      little, little final, processing   | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      part final, expired, paid late     | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      paid ether late, failed, canceled  | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      failed paid, canceled paid, expired excess | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      failed excess, canceled excess, failed ether | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      canceled ether                     | collected unseen        | stays      |                    | collectionUnexplained=true attention=true
      stray, late, underpaid             | collected unseen        | stays      |                    | collectionUnexplained=true
      underpaid paid, underpaid excess, failed late | collected unseen        | stays      |                    | collectionUnexplained=true
      canceled late, underpaid late, refunding late | collected unseen        | stays      |                    | collectionUnexplained=true
      refunding failed, refunding canceled | collected unseen        | stays      |                    | collectionUnexplained=true

      Money that came after its price ends the window that would have been longer.
      picked ether                       | price missed            | stays      |                    | expiresAt=+10m

      A person decides.
      little final                       | accept                  | success    | payment.succeeded  |
      late, canceled late                | accept                  | success    | payment.succeeded  | attention=false
      underpaid, failed late             | accept                  | success    | payment.succeeded  | failureReason=null attention=false
      underpaid paid, underpaid excess   | accept                  | success    | payment.succeeded  | failureReason=null attention=false
      underpaid late                     | accept                  | success    | payment.succeeded  | failureReason=null attention=false
      refunding late, refunding canceled | accept                  | success    | payment.succeeded  | attention=false
      refunding failed                   | accept                  | success    | payment.succeeded  | failureReason=null attention=false
      stray, late, underpaid             | dismiss                 | stays      |                    | attention=false
      underpaid paid, underpaid excess   | dismiss                 | stays      |                    | attention=false
      failed late, canceled late         | dismiss                 | stays      |                    | attention=false
      underpaid late                     | dismiss                 | stays      |                    | attention=false
      refunding late, refunding failed   | dismiss                 | stays      |                    | attention=false
      refunding canceled                 | dismiss                 | stays      |                    | attention=false

      Refunds take from what is final and not reserved.
      success, paid twice, accepted early | reserve 1               | stays      |                    | refundsReservedMinor=1
      late, underpaid                    | reserve 1               | stays      |                    | refundsReservedMinor=1
      underpaid paid, underpaid excess   | reserve 1               | stays      |                    | refundsReservedMinor=1
      failed late, canceled late         | reserve 1               | stays      |                    | refundsReservedMinor=1
      underpaid late                     | reserve 1               | stays      |                    | refundsReservedMinor=1
      success, paid twice, accepted early | reserve 300             | stays      |                    | refundsReservedMinor=300
      success, paid twice                | reserve 1000            | stays      |                    | refundsReservedMinor=1000
      late, underpaid                    | reserve 300             | stays      |                    | refundsReservedMinor=300
      underpaid paid, underpaid excess   | reserve 300             | stays      |                    | refundsReservedMinor=300
      failed late, canceled late         | reserve 300             | stays      |                    | refundsReservedMinor=300
      underpaid late                     | reserve 300             | stays      |                    | refundsReservedMinor=300
      refunding, refunded                | reserve 300             | stays      |                    | refundsReservedMinor=600
      refunding, refunded                | reserve 1               | stays      |                    | refundsReservedMinor=301
      refunding                          | release 300             | stays      |                    | refundsReservedMinor=0
      refunding                          | refunded 300            | stays      |                    | amountRefundedMinor=300
      refunding late, refunding failed   | reserve 1               | stays      |                    | refundsReservedMinor=301
      refunding canceled                 | reserve 1               | stays      |                    | refundsReservedMinor=301
      refunding late, refunding failed   | release 300             | stays      |                    | refundsReservedMinor=0
      refunding canceled                 | release 300             | stays      |                    | refundsReservedMinor=0
      refunding late, refunding failed   | refunded 300            | stays      |                    | amountRefundedMinor=300
      refunding canceled                 | refunded 300            | stays      |                    | amountRefundedMinor=300
      `,
      ),
    ).toEqual([])
  })

  test('every state is reached', () => {
    expect(shortestPaths(payments)).toEqual({
      pending: '',
      processing: 'pick, see 1000',
      success: 'pick, see 1000, all 1000 final',
      failed: 'reverted',
      expired: 'over',
      canceled: 'cancel',
    })
  })

  test('a quote used in time is kept for the customer, also when a reorg removes the transfer', () => {
    const losing = {
      ...payments,
      events: {
        ...payments.events,
        'lose all in ether': {
          ...payments.events['lose all in minute 25'],
          type: 'reorganized' as const,
          asset: 'ETH',
        },
      },
    }
    const inMinute35 = new Date(T0.getTime() + 35 * 60_000)
    const { value, context } = arrive(losing, 'pick ether, see 1000 in ether, lose all in ether')
    expect(value).toBe('pending')
    expect([context.expiresAt, context.quoteExpiresAt]).toEqual([inMinute35, inMinute35])
  })

  test.each([
    ['pick, wrong asset', 'pending', null],
    ['pick, see only 400, wrong asset', 'pending', 'underpaid'],
    ['pick, see 1000, wrong asset', 'processing', null],
    ['pick, see 1200, wrong asset', 'processing', 'overpaid'],
  ])('after “%s”, another asset can disappear without a trace', (path, value, exception) => {
    const context = { stray: null, exception, attention: false }
    expect(arrive(payments, `${path}, stray gone`)).toMatchObject({ value, context })
    expect(step(payments, arrive(payments, `${path}, final on a wrong chain`), 'stray gone')).toBeUndefined()
  })

  test.each([
    ['pick', 'pending', false],
    ['pick, see only 400, 400 final', 'pending', false],
    ['pick, wrong asset', 'pending', true],
    ['pick, wrong asset, dismiss', 'pending', true],
    ['pick, see 1000, 400 final', 'processing', false],
    ['pick, over', 'expired', false],
    ['pick, over, now 400 in block 8, late 400', 'expired', true],
    ['pick, see only 400, 400 final, over', 'failed', true],
    ['pick, cancel, wrong asset', 'canceled', true],
  ])('after “%s”, an unexplained collection can disappear', (path, value, attention) => {
    const context = { collectionUnexplained: false, attention }
    expect(arrive(payments, `${path}, collected unseen, collection gone`)).toMatchObject({ value, context })
    expect(arrive(payments, `${path}, collected unseen, dismiss, collection gone`)).toMatchObject({
      ...{ value, context: { ...context, attention: false } },
    })
  })

  test('another asset that disappears does not remove an unexplained collection', () => {
    const path = 'pick, wrong asset, collected unseen'
    expect(arrive(payments, `${path}, stray gone`)).toMatchObject({ context: { stray: null, attention: true } })
    expect(arrive(payments, `${path}, dismiss, stray gone`)).toMatchObject({ context: { attention: false } })
  })

  test('an overpayment needs no decision once the excess is refunded', () => {
    const subject = {
      ...payments,
      events: {
        ...payments.events,
        'reserve 200': refund('reserve_refund', 200),
        'refunded 200': refund('refund_processed', 200),
      },
    }
    const paid = 'pick, see 1000, all 1000 final, now 1200, 1200 final'
    expect(arrive(subject, paid)).toMatchObject({ context: { attention: true, exception: 'overpaid' } })
    expect(arrive(subject, `${paid}, reserve 200`)).toMatchObject({ context: { attention: true } })
    expect(arrive(subject, `${paid}, reserve 200, refunded 200`)).toMatchObject({ context: { attention: false } })
  })

  test('with a tolerance of one percent 990 of 1000 is enough, and 989 is not', () => {
    const tolerant = {
      ...payments,
      input: { ...payments.input, toleranceBps: 100 },
      events: {
        ...payments.events,
        'see 990': { ...payments.events['see 1000'], type: 'enough_seen', amountReceived: 990n },
        'see 989': { ...payments.events['see 1000'], type: 'enough_seen', amountReceived: 989n },
        'all 990 final': { ...payments.events['all 1000 final'], type: 'finalized', amountFinal: 990n },
      },
    }
    const picked = arrive(tolerant, 'pick')
    expect(step(tolerant, picked, 'see 989')).toBeUndefined()
    expect(step(tolerant, picked, 'see 990')?.to).toBe('processing')
    expect(arrive(tolerant, 'pick, see 990, all 990 final')).toMatchObject({
      value: 'success',
      context: { receivedMinor: 990, exception: null, attention: false },
    })
  })

  test('the window of a live payment ends only by time', () => {
    const live = { ...payments, input: { ...payments.input, livemode: true } }
    expect(step(live, arrive(live, 'pick'), 'end window')).toBeUndefined()
  })

  test('an amount larger than the database type is stored as its largest value', () => {
    const all = 2n ** 256n - 1n
    const flooded = {
      ...payments,
      events: {
        ...payments.events,
        flood: { ...payments.events['see 1000'], type: 'enough_seen', amountReceived: all },
        'all final': { ...payments.events['all 1000 final'], type: 'finalized', amountFinal: all },
      },
    }
    expect(arrive(flooded, 'pick, flood, all final').context).toMatchObject({
      amountFinal: all,
      receivedMinor: Number.MAX_SAFE_INTEGER,
      exception: 'overpaid',
    })
  })
})
