// Calls the contracts through the client that openapi-generator generated.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	api "clients/generated/contracts"
)

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("API_URL")}}
	client := api.NewAPIClient(configuration)
	keys := map[string]api.APIKey{"key": {Key: os.Getenv("API_KEY")}}
	ctx := context.WithValue(context.Background(), api.ContextAPIKeys, keys)

	// Create and view.
	ada := api.NewNewCustomer("Ada", "ada@example.com")
	customer, _, err := client.CustomersAPI.CreateCustomer(ctx).NewCustomer(*ada).Execute()
	require(err)
	flat := api.NewNewContract(customer.Data.Id, "Flat 7")
	created, _, err := client.ContractsAPI.CreateContract(ctx).NewContract(*flat).Execute()
	require(err)
	contract := created.Data.Id
	viewed, _, err := client.ContractsAPI.ViewContract(ctx, contract).Execute()
	require(err)
	assert(viewed.Data == created.Data)

	// List with filters.
	listed, _, err := client.ContractsAPI.ListContracts(ctx).
		FilterCustomerId(customer.Data.Id).
		FilterTitleContains("flat").
		FilterStateIn([]api.State{"active"}).
		Execute()
	require(err)
	assert(len(listed.Data) == 1 && listed.Data[0].Title == "Flat 7")

	// The customer of each contract, which is also a filter and an order.
	included, _, err := client.ContractsAPI.ListContracts(ctx).
		Include([]string{"customer"}).
		FilterCustomerNameContains("ad").
		OrderBy([]string{"-customer.name"}).
		Execute()
	require(err)
	assert(included.Data[0].Customer.Get().Name == "Ada")

	// 1,000 invoices in batches, repeated without effect by their idempotency keys, then all of them page by page.
	for batch := 0; batch < 10; batch++ {
		var data []api.NewInvoice
		for index := 0; index < 100; index++ {
			lines := []api.LineInput{*api.NewLineInput("Rent", 1, 90_000)}
			data = append(data, *api.NewNewInvoice(fmt.Sprintf("N-%d-%d", batch, index), "2026-12-31", lines))
		}
		for attempt := 0; attempt < 2; attempt++ {
			batched, _, err := client.InvoicesAPI.CreateInvoices(ctx, contract).
				IdempotencyKey(fmt.Sprintf("batch-%d", batch)).
				NewInvoiceBatch(*api.NewNewInvoiceBatch(data)).
				Execute()
			require(err)
			assert(len(batched.Data) == 100)
		}
	}
	invoices := map[string]api.InvoiceView{}
	request := client.InvoicesAPI.ListInvoices(ctx, contract).Limit(50)
	for more := true; more; {
		page, _, err := request.Execute()
		require(err)
		for _, invoice := range page.Data {
			invoices[invoice.Number] = invoice
		}
		more = page.Pagination.NextCursor.Get() != nil
		request = request.Cursor(page.Pagination.GetNextCursor())
	}
	assert(len(invoices) == 1000)

	// Change, with the entity tag of what was viewed: nil restores the default, an absent property keeps its value.
	id := invoices["N-0-0"].Id
	_, before, err := client.InvoicesAPI.ViewInvoice(ctx, contract, id).Execute()
	require(err)
	changes := api.NewInvoiceChanges()
	changes.SetPaid(true)
	update := client.InvoicesAPI.UpdateInvoice(ctx, contract, id)
	paid, after, err := update.IfMatch(before.Header.Get("ETag")).InvoiceChanges(*changes).Execute()
	require(err)
	assert(paid.Data.Paid && paid.Data.Lines[0] == invoices["N-0-0"].Lines[0])
	changes.SetPaidNil()
	unpaid, _, err := update.IfMatch(after.Header.Get("ETag")).InvoiceChanges(*changes).Execute()
	require(err)
	assert(!unpaid.Data.Paid)

	// Several invoices at once, or none.
	var items []api.InvoiceUpdateItem
	for _, number := range []string{"N-0-1", "N-0-2"} {
		other := invoices[number].Id
		_, viewed, err := client.InvoicesAPI.ViewInvoice(ctx, contract, other).Execute()
		require(err)
		change := api.NewInvoiceChanges()
		change.SetPaid(true)
		items = append(items, *api.NewInvoiceUpdateItem(other, viewed.Header.Get("ETag"), *change))
	}
	several := client.InvoicesAPI.UpdateInvoices(ctx, contract).InvoiceUpdateBatch(*api.NewInvoiceUpdateBatch(items))
	both, _, err := several.Execute()
	require(err)
	assert(len(both.Data) == 2 && both.Data[0].Paid && both.Data[1].Paid)

	// A rejected request has a typed problem.
	_, _, err = update.IfMatch(before.Header.Get("ETag")).InvoiceChanges(*changes).Execute()
	var failure *api.GenericOpenAPIError
	assert(errors.As(err, &failure))
	outdated, isTyped := failure.Model().(api.PreconditionFailedProblem)
	assert(isTyped && outdated.Code == "precondition_failed")
	nowhere := api.NewNewCustomer("Bo", "nowhere")
	_, _, err = client.CustomersAPI.CreateCustomer(ctx).NewCustomer(*nowhere).Execute()
	assert(errors.As(err, &failure))
	rejected, isTyped := failure.Model().(api.InvalidRequestProblem)
	assert(isTyped && rejected.Errors[0].Pointer == "/email")
}

func require(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func assert(holds bool) {
	if !holds {
		log.Panic("the client returned something else")
	}
}
