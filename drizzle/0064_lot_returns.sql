CREATE TABLE "lot_returns" (
	"lot_line_id" bigint NOT NULL,
	"payment_id" uuid NOT NULL,
	"nano" bigint NOT NULL,
	CONSTRAINT "lot_returns_lot_line_id_payment_id_pk" PRIMARY KEY("lot_line_id","payment_id"),
	CONSTRAINT "lot_return_never_below_zero" CHECK ("lot_returns"."nano" >= 0)
);
--> statement-breakpoint
ALTER TABLE "lot_returns" ADD CONSTRAINT "lot_returns_lot_line_id_lots_line_id_fk" FOREIGN KEY ("lot_line_id") REFERENCES "public"."lots"("line_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lot_returns" ADD CONSTRAINT "lot_returns_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;