// The queries to Shopify's GraphQL Admin API. Order fields are renamed to their names in webhooks, so that one
// reader serves both. The pages of lists keep within the cost that one query may have.

/** The version of the API. Shopify supports each for a year. */
export const api_version = "2026-07";

export const order_query = `query Order($id: ID!, $after: String) {
  order(id: $id) {
    id name email phone note currency: currencyCode
    note_attributes: customAttributes { name: key value }
    created_at: createdAt updated_at: updatedAt cancelled_at: cancelledAt closed_at: closedAt
    financial_status: displayFinancialStatus fulfillment_status: displayFulfillmentStatus
    billing_address: billingAddress { name phone }
    shipping_address: shippingAddress {
      name company address1 address2 city province_code: provinceCode province zip country_code: countryCodeV2 phone
    }
    shipping_lines: shippingLines(first: 10) {
      nodes {
        title is_removed: isRemoved
        discounted_price_set: discountedPriceSet { shop_money: shopMoney { amount } }
      }
    }
    line_items: lineItems(first: 50, after: $after) {
      nodes {
        id name sku requires_shipping: requiresShipping gift_card: isGiftCard
        quantity current_quantity: currentQuantity
        price_set: originalUnitPriceSet { shop_money: shopMoney { amount } }
        discount_allocations: discountAllocations {
          amount_set: allocatedAmountSet { shop_money: shopMoney { amount } }
        }
        properties: customAttributes { name: key value }
        variant { id }
        product { id }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const changes_query = `query Changes($filter: String!, $after: String) {
  orders(first: 250, after: $after, sortKey: UPDATED_AT, query: $filter) {
    nodes { id updated_at: updatedAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const parcels_query = `query Parcels($id: ID!, $after: String) {
  order(id: $id) {
    fulfillments(first: 100) { id status trackingInfo { number } }
    fulfillmentOrders(first: 50, after: $after) {
      nodes { id status supportedActions { action } assignedLocation { location { id } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const fulfilled_query = `query Fulfilled($id: ID!, $after: String) {
  fulfillment(id: $id) {
    fulfillmentLineItems(first: 100, after: $after) {
      nodes { quantity lineItem { id } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const fulfillable_query = `query Fulfillable($id: ID!, $after: String) {
  fulfillmentOrder(id: $id) {
    lineItems(first: 100, after: $after) {
      nodes { id remainingQuantity lineItem { id } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const fulfill_mutation = `mutation Fulfill($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) {
    fulfillment { id }
    userErrors { field message }
  }
}`;
