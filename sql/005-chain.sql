-- The chain state: how far each chain has been read, and every transfer to an address that was ever given out. Payments
-- are notified by commands of their own (src/chain/watch/settle.ts), so a crash in between only delays them.

-- How far a chain has been read. `step` rises with every change of the chain's rows in these tables: sums are read at a
-- step, and a payment refuses the sums of an older one.
create table chain_cursors (
  chain_id bigint primary key,
  number bigint not null check (number >= 0),
  hash text not null check (hash ~ '^0x[0-9a-f]*$' and length(hash) = 66),
  -- The time in the block. A payment's window has ended when its chain has been read past the end.
  mined_at timestamptz not null,
  -- When the cursor was moved there. While later blocks exist, it must not be long ago.
  moved_at timestamptz not null default now(),
  -- Where and when reading began. While no transfer is final, a chain whose blocks differ is read again from there.
  begun_number bigint not null default 0,
  begun_at timestamptz not null default now(),
  -- Up to here transfers are final and were read a second time.
  final_number bigint not null check (final_number <= number),
  step bigint not null,
  -- The server's usual number of confirmations for this chain. A payment that requires more has a merchant who has set
  -- more, and waits for the chain's finality and for this depth. A payment that does not requires finality alone; on a
  -- chain with a `finalized` tag its number is an estimate for display.
  confirmations integer,
  -- Up to here two nodes have the blocks, as far as a payment waited for it: a single node may invent blocks.
  deep_number bigint not null default 0,
  -- Whether its money has value; money without value never pays a live payment. Null until reading has continued once.
  livemode boolean,
  -- Which of the sandbox's chains this is: a development node may restart with another one.
  epoch text,
  -- Of the sandbox: when the chain state was restarted. What was mined before is on a chain that is lost.
  lost_before timestamptz,
  -- Since when the chain is known to be reorganized below its final block. It is not read meanwhile and not offered to
  -- customers. Null while the chain has the block at the cursor.
  stopped_at timestamptz
);

-- The blocks above the final one, by which a reorg is detected. Lower blocks cannot change.
create table chain_blocks (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  mined_at timestamptz not null,
  primary key (chain_id, number)
);

-- With the treasury, what the addresses of a merchant's payments are computed from. The merchant downloads it once and
-- can find every address without this database.
create table recovery_secrets (
  -- The merchant.
  id uuid primary key references merchants,
  sealed_secret text not null,
  -- By draw_counter(). A number may be drawn and not used, or skipped by skip_counters(): recovery searches beyond gaps.
  next_counter bigint not null default 0,
  -- When a number was last drawn or skipped.
  counted_at timestamptz not null default now()
);

-- Every address that was ever given out, on all chains: money may arrive late or on another chain. An address keeps the
-- treasury that it was computed with.
create table deposit_addresses (
  address text primary key check (address ~ '^0x[0-9a-f]*$' and length(address) = 42),
  payment_id uuid not null,
  merchant_id uuid not null,
  treasury text not null check (treasury ~ '^0x[0-9a-f]*$' and length(treasury) = 42),
  counter bigint not null,
  constraint deposit_addresses_once unique (merchant_id, counter),
  -- A payment that changes its asset keeps its address as long as the treasury is the same.
  constraint deposit_addresses_of_payment unique (payment_id, treasury)
);

-- What the process that reads a chain knows of its nodes. Other processes have asked them nothing, and show this to
-- operators. Unlogged, as heartbeats are: worth nothing after a crash of the server.
create unlogged table chain_nodes (
  chain_id bigint not null,
  -- Its place in RPC_URLS_<chainId>, from 1, which is also in log lines: `8453/1`.
  position integer not null,
  -- Host and port. Never a path or credentials.
  label text not null,
  state text not null,
  head bigint,
  latency_ms float8,
  last_error text,
  recorded_at timestamptz not null default now(),
  constraint chain_nodes_pkey primary key (chain_id, position),
  constraint chain_nodes_state check (state in ('unknown', 'healthy', 'behind', 'paused'))
);

create table transfers (
  chain_id bigint not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  log_index integer not null,
  block_number bigint not null,
  block_hash text not null,
  mined_at timestamptz not null,
  payment_id uuid not null,
  -- Null: native currency.
  token_address text,
  from_address text,
  to_address text not null,
  amount numeric(78, 0) not null check (amount > 0),
  -- `orphaned`: its block is not on the chain any more. It may return, in this block or in another.
  state text not null check (state in ('seen', 'final', 'orphaned')),
  -- Two nodes have reported it while it was seen, or there is only one node: see agree_on_transfers().
  agreed boolean not null default false,
  primary key (chain_id, block_hash, tx_hash, log_index)
);

-- A transfer counts once, whatever reorgs do.
create unique index transfers_counted_once on transfers (chain_id, tx_hash, log_index) where state <> 'orphaned';
-- Payments are searched by the hash of a transaction.
create index transfers_by_tx_hash on transfers using hash (tx_hash);
create index transfers_of_payment on transfers (payment_id, block_number);
-- Queries by block are about transfers that may still be lost.
create index transfers_seen on transfers (chain_id, block_number) where state = 'seen';
-- Transfers that a second node has not reported yet. Most are in this index for a second.
create index transfers_to_agree_on on transfers (chain_id, block_number) where state = 'seen' and not agreed;

-- Payments that lost a transfer.
create index transfers_lost on transfers (payment_id) where state = 'orphaned' and agreed;

-- The sums of the transfers of one block, by payment and asset. Payments are decided by these sums: anyone can send
-- 100,000 transfers to an address, and reading all of them whenever another arrived took 2.5 s and 51 MB.
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
  -- Of the last of the transfers.
  tx_hash text not null,
  log_index integer not null,
  from_address text
);

-- A hash in place of the block's hash, the asset and the state: with them, an entry was half as wide as the row.
create unique index transfer_sums_once on transfer_sums
  (payment_id, block_number, chain_id, (md5(block_hash || coalesce(token_address, '') || state)::uuid));

-- Payments whose transfers have changed since they were last notified. A row remains until the payment has recorded the
-- change.
create table unsettled_payments (
  payment_id uuid primary key,
  chain_id bigint not null,
  step bigint not null,
  -- Null: the payment is to be notified. Otherwise it was notified of everything at this rev, except money after its
  -- window or its price, of which a pending payment is notified at its end. A payment that has changed since is
  -- notified once more.
  reported_rev integer
);

-- Payments whose money is final and not yet as deep as their merchant requires. They are notified again when the chain
-- has reached the block, as two nodes report. Until then they are not checked.
create table deeper_payments (
  payment_id uuid primary key,
  chain_id bigint not null,
  number bigint not null
);
create index deeper_payments_due on deeper_payments (chain_id, number);

-- Native currency. A transaction that carries it is read from its block and stored as a transfer with log index -1.
-- What a contract sends appears in no block's list of transactions and in no log: the balance of the address rises.
-- Such a transfer has log index -2 and, instead of a transaction hash, a name made of its chain, address and block.

-- Balances of addresses at blocks that were read. Each was compared with the previous balance and the transfers in
-- between. A balance that is higher than these explain became a transfer; a lower one means that the address was
-- collected from, and counting continues from the rest.
create table native_balances (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  mined_at timestamptz not null,
  balance numeric(78, 0) not null check (balance >= 0),
  -- A deposit address has code after it was collected from.
  has_code boolean not null default false,
  looked_at timestamptz not null default now(),
  primary key (chain_id, address, block_number)
);

-- Addresses that were collected from where neither logs nor balances show what had arrived: it arrived in the block of
-- the collection, or no node is an archive node. Also addresses to which a token of CHAINS_FILE logged transfers, where
-- no node is an archive node and the address holds less now, or where only these logs say that it was collected in the
-- block in which it arrived. They need a person's attention.
create table unexplained_collections (
  chain_id bigint not null,
  address text not null,
  payment_id uuid not null,
  -- The first block that shows it. When the block is removed, the row is deleted and the address is checked again.
  block_number bigint not null,
  primary key (chain_id, address)
);
create index unexplained_collections_of_payment on unexplained_collections (payment_id);

-- Transaction hashes that customers have submitted. They change nothing by themselves: the reader of the payment's
-- chain looks them up (src/chain/watch/submissions.ts).
create table submissions (
  payment_id uuid not null,
  tx_hash text not null check (tx_hash ~ '^0x[0-9a-f]*$' and length(tx_hash) = 66),
  -- The payment's chain at the last look.
  chain_id bigint not null,
  -- The block it was found in, which is not deep enough: it is looked up again when this block is final.
  block_number bigint,
  -- Failed looks since it was last found.
  looks integer not null default 0,
  next_look_at timestamptz not null default now(),
  primary key (payment_id, tx_hash)
);
create index submissions_due on submissions (chain_id, next_look_at);

-- Money that waits at deposit addresses: every address with a final transfer, until it was found empty in a block that
-- is final too. So balances are queried for these addresses alone, however many a merchant has emptied.
create table waiting_addresses (
  chain_id bigint not null,
  address text not null,
  merchant_id uuid not null,
  -- The block of the last final transfer. That the address was empty before proves nothing.
  last_block bigint not null,
  -- The first block since then in which it was found empty. A reorg may fill it again.
  empty_number bigint,
  empty_hash text,
  constraint waiting_addresses_pkey primary key (chain_id, address),
  constraint waiting_addresses_empty check (num_nulls(empty_number, empty_hash) in (0, 2))
);

-- A merchant's addresses on one chain.
create index waiting_addresses_of_merchant on waiting_addresses (merchant_id, chain_id);

-- Scenarios that are running on the sandbox chain. The process that runs one updates its row every second. The row of a
-- process that has ended is ignored; what it has sent remains sent.
create table simulations (
  payment_id uuid primary key,
  holder uuid not null,
  -- Reverts blocks: no other scenario runs meanwhile.
  reorganizes boolean not null,
  -- The request's.
  idempotency_key text,
  seq bigint generated always as identity,
  touched_at timestamptz not null,
  -- The database session that updated the row last. It ends with its process.
  backend integer not null,
  backend_start timestamptz not null
);
