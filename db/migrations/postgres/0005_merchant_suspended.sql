-- additive
CREATE OR REPLACE TRIGGER "order_holds_reason" BEFORE INSERT OR UPDATE OF "reason" ON "order_holds"
  FOR EACH ROW WHEN (NEW."reason" <> ALL ('{"manual","address","payment","fraud","inventory","customer_request","compliance","other","bad_address","carrier_discrepancy","merchant_suspended","recalled_lot","short_pick","unknown_sku"}'::text[])) EXECUTE FUNCTION refuse_word()