-- What the chains have shown: how far each has been read, and every transfer to an address that was
-- ever given out. Payments are told of it by commands of their own (src/chain/watch/settle.ts), so a
-- crash between the two is a delay and nothing else.

-- How far a chain has been read, and by which block. `step` rises with every change of a chain's books:
-- sums are read at a step, and a payment refuses those of an older one.
create table chain_cursors (
  chain_id bigint primary key,
  number bigint not null check (number >= 0),
  hash text not null check (hash ~ '^0x[0-9a-f]*$' and length(hash) = 66),
  -- The block's own time. The windows of payments that the chain is to pay are over when it has been read past their end.
  mined_at timestamptz not null,
  -- Where and when reading began. Until a transfer has become final, a chain that has other blocks is read anew.
  begun_number bigint not null default 0,
  begun_at timestamptz not null default now(),
  -- Up to here transfers are final, and have been read again as such.
  final_number bigint not null check (final_number <= number),
  step bigint not null,
  -- How many blocks a payment waits for here as a rule, as the house is set up. A payment that requires more has a
  -- merchant who asked for more, and waits for both: for the chain's finality, and to be so deep. One that does
  -- not waits for finality alone; where the chain says itself what is final, its number is a guess for people.
  confirmations integer,
  -- Up to here two nodes have got, as far as a payment waited for it: the one that is read may make blocks up.
  deep_number bigint not null default 0,
  -- Whether its money is worth anything: what is not is nothing to a live payment. Null until it was read on once.
  livemode boolean,
  -- Which of the sandbox's chains the books are of: a development node may come back with another one.
  epoch text,
  -- When the books were begun anew, of the sandbox alone: what was mined before is of a chain that is lost.
  lost_before timestamptz,
  -- Since when the chain has other blocks than those that were final: none of it is read, and nobody is offered to
  -- pay there. Null where it has the block at the cursor.
  stopped_at timestamptz
);

-- The blocks above the final one, by which a fork is found. Lower ones cannot change any more.
create table chain_blocks (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  mined_at timestamptz not null,
  primary key (chain_id, number)
);

-- What the addresses of a merchant's payments are made of, beside the treasury; the merchant downloads it
-- once and finds every address again without this database.
create table recovery_secrets (
  -- The merchant's.
  id uuid primary key references merchants,
  sealed_secret text not null,
  -- Numbers that were drawn and not used are no harm: recovery looks beyond them.
  next_counter bigint not null default 0
);

-- Every address that was ever given out, on all chains: money may come late, and on another chain. One
-- that was keeps the treasury it was made with.
create table deposit_addresses (
  address text primary key check (address ~ '^0x[0-9a-f]*$' and length(address) = 42),
  payment_id uuid not null,
  merchant_id uuid not null,
  treasury text not null check (treasury ~ '^0x[0-9a-f]*$' and length(treasury) = 42),
  counter bigint not null,
  constraint deposit_addresses_once unique (merchant_id, counter),
  -- A payment that changes its asset is asked for at the same address, wherever that leads to the same treasury.
  constraint deposit_addresses_of_payment unique (payment_id, treasury)
);

create table transfers (
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  log_index integer not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamptz not null,
  payment_id uuid not null,
  -- Null: the chain's own coin.
  token_address text,
  from_address text,
  to_address text not null,
  amount numeric(78, 0) not null check (amount > 0),
  -- `orphaned`: its block is no part of the chain any more. It may come back, or in another block.
  state text not null check (state in ('seen', 'final', 'orphaned')),
  -- Two nodes have told of it while it was seen, or the only node: see agree_on_transfers.
  agreed boolean not null default false,
  primary key (chain_id, block_hash, tx_hash, log_index)
);

-- Whatever the chain does, a transfer counts once.
create unique index transfers_counted_once on transfers (chain_id, tx_hash, log_index) where state <> 'orphaned';
create index transfers_of_payment on transfers (payment_id, block_number);
-- Whoever asks by the block asks about what may still be lost.
create index transfers_seen on transfers (chain_id, block_number) where state = 'seen';
-- Until a second node has told of them. Most transfers are in here for a second.
create index transfers_to_agree_on on transfers (chain_id, block_number) where state = 'seen' and not agreed;

-- Of a payment to which one of them was lost.
create index transfers_lost on transfers (payment_id) where state = 'orphaned' and agreed;

-- What the transfers of one block add up to, by payment and asset. Payments are judged by these sums: anyone can send
-- 100,000 transfers to an address, and it took 2.5 s and 51 MB to read all of them whenever another one arrived.
create table transfer_sums (
  payment_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamptz not null,
  token_address text,
  state text not null check (state in ('seen', 'final')),
  transfers integer not null check (transfers > 0),
  amount numeric not null check (amount > 0),
  -- Of the last of these transfers.
  tx_hash text not null,
  log_index integer not null,
  from_address text,
  constraint transfer_sums_once unique nulls not distinct
    (payment_id, block_number, chain_id, block_hash, token_address, state)
);

-- Payments whose transfers have changed since they were told. A row stays until the payment knows.
create table unsettled_payments (
  payment_id uuid primary key,
  chain_id bigint not null,
  step bigint not null,
  -- Null: it is to be told. Else all is told, as the payment was at this rev, but money that came after its window or
  -- its price, of which a pending one is told at its end. One that has changed since is told once more.
  told_rev integer
);

-- Payments whose money is final and not yet as deep as their merchant asked for. They are told again when their
-- chain has got to the block, as two nodes say: until then, however many wait, nobody looks at them.
create table deeper_payments (
  payment_id uuid primary key,
  chain_id bigint not null,
  number bigint not null
);
create index deeper_payments_due on deeper_payments (chain_id, number);

-- Money in a chain's own coin. A transaction that carries it is read from its block and stands among the transfers
-- with log index -1. What a contract sends on is in no block's list and in no log: the balance of the address has
-- risen, nothing more. Such a transfer has log index -2, and for a transaction hash a name that is made of its
-- chain, address and block.

-- What addresses held at blocks of the books. Each was compared with the one before it and the transfers between:
-- where more was there than these explain, the rise is a transfer itself by now; where less was there, it has been
-- collected, and counting goes on from what is left.
create table coin_looks (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  mined_at timestamptz not null,
  balance numeric(78, 0) not null check (balance >= 0),
  -- A deposit address has code once it was collected from.
  has_code boolean not null default false,
  looked_at timestamptz not null default now(),
  primary key (chain_id, address, block_number)
);

-- Addresses that something was collected from, where neither logs nor balances show what had come: it came in the block
-- of the collection, or no node has the states any more. And addresses that a token of CHAINS_FILE logged transfers to,
-- where no node has the states any more and the address holds less now, or where only these logs say that it was
-- collected in the block in which it arrived. A person must look.
create table unexplained_collections (
  chain_id bigint not null,
  address text not null,
  payment_id uuid not null,
  -- The first block that shows it. When that block is removed, so is the row, and the address is looked at again.
  block_number bigint not null,
  primary key (chain_id, address)
);
create index unexplained_collections_of_payment on unexplained_collections (payment_id);

-- Hashes of transactions that customers say they have paid with. They change nothing by themselves: whoever
-- reads the payment's chain asks what became of them (src/chain/watch/submissions.ts).
create table submissions (
  payment_id uuid not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- The payment's, when it was looked at last.
  chain_id bigint not null,
  -- It was found, and not deep enough: nobody looks again before this block is final.
  block_number bigint,
  -- In vain so far, since it was last found anywhere.
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  primary key (payment_id, tx_hash)
);
create index submissions_due on submissions (chain_id, next_look_at);

-- Money that waits where customers sent it: every address a final transfer went to, until it was found
-- empty in a block that is final as well. So who asks for balances asks about these and no others,
-- however many addresses a merchant has emptied.
create table waiting_addresses (
  chain_id bigint not null,
  address text not null,
  merchant_id uuid not null,
  -- Of the last final transfer: that it was empty before that says nothing.
  last_block bigint not null,
  -- The first block since then in which it was found empty. A reorganisation may fill it again.
  empty_number bigint,
  empty_hash text,
  constraint waiting_addresses_pkey primary key (chain_id, address),
  constraint waiting_addresses_empty check (num_nulls(empty_number, empty_hash) in (0, 2))
);

-- All of a merchant's on one chain, by which they are asked for.
create index waiting_addresses_of_merchant on waiting_addresses (merchant_id, chain_id);

-- Scenarios that are acted on the sandbox chain at this moment. The process that acts one touches its row again and
-- again. The row of a process that has ended counts no more, and what it has sent stays sent.
create table simulations (
  payment_id uuid primary key,
  holder uuid not null,
  -- Takes blocks back: no other scenario is acted meanwhile.
  reorganizes boolean not null,
  -- Of the request.
  idempotency_key text,
  seq bigint generated always as identity,
  touched_at timestamptz not null,
  -- The session that touched it last. It ends with its process.
  backend integer not null,
  backend_start timestamptz not null
);
